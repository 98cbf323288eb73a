#include "launch/source.h"

#include <stdlib.h>

struct source {
    struct input *input;           /* one of the two */
    struct launch_input *launches; /* is NULL */
};

bool source_open(struct source **out, const char *path, const struct input_options *opt,
                 const struct source_files *files, struct sim_err *err)
{
    *out = NULL;
    struct source *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(err, "opening an input");
    bool ok;
    if (launch_input_probe(path)) {
        struct launch_input_options launch = {.sass = files->sass,
                                              .cubin = files->cubin,
                                              .res_usage = files->res_usage,
                                              .checks.races = files->check_races,
                                              .keep_going = opt->keep_going,
                                              .failed = opt->failed,
                                              .user = opt->user,
                                              .kernel_first = opt->kernel_first,
                                              .kernel_last = opt->kernel_last};
        ok = launch_input_open(&s->launches, path, &launch, err);
    } else {
        struct input_options trace = *opt;
        trace.sass_path = files->sass;
        ok = input_open(&s->input, path, &trace, err);
    }
    if (ok)
        *out = s;
    else
        source_close(s);
    return ok;
}

bool source_is_launches(const struct source *s)
{
    return s->launches != NULL;
}

bool source_next(struct source *s, struct input_item *item, struct sim_err *err)
{
    if (s->input)
        return input_next(s->input, item, err);
    struct kernel *k;
    *item = (struct input_item){.kind = INPUT_END};
    TRY(launch_input_next(s->launches, &k, err));
    if (k)
        *item = (struct input_item){
            .kind = INPUT_KERNEL, .kernel = k, .position = launch_input_position(s->launches)};
    return true;
}

bool source_next_beside(struct source *s, const uint64_t *streams, uint32_t count,
                        struct kernel **out, uint64_t *position, struct sim_err *err)
{
    *out = NULL;
    return !s->input || input_next_beside(s->input, streams, count, out, position, err);
}

bool source_again(struct source *s, struct kernel **out, struct sim_err *err)
{
    return s->input ? input_again(s->input, out, err) : launch_input_again(s->launches, out, err);
}

uint64_t source_kernel_count(const struct source *s)
{
    return s->input ? input_kernel_count(s->input) : launch_input_count(s->launches);
}

struct launch *source_launch(const struct source *s)
{
    return s->launches ? launch_input_launch(s->launches) : NULL;
}

bool source_is_at_fault(const struct source *s, const struct sim_err *err)
{
    return err->code == ERR_INPUT || (s->launches && launch_input_failed(s->launches));
}

void source_close(struct source *s)
{
    if (!s)
        return;
    input_close(s->input);
    launch_input_close(s->launches);
    free(s);
}
