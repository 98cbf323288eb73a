/* Fuzzes the reader of launch files: whatever the text, it ends with launches within their limits
 * or with errors; small buffers are filled. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/target.h"
#include "launch/launch_init.h"

#define SMALL_BYTES 65536

static void fill(const struct launch_arg *arg)
{
    uint64_t bytes = arg->count * launch_type_info(arg->type)->bytes;
    struct sim_err err = {.code = ERR_NONE};
    if (bytes == 0)
        abort();
    if (bytes > SMALL_BYTES || arg->init == LAUNCH_INIT_file)
        return;
    uint8_t *data = calloc(1, (size_t)bytes);
    if (data && !launch_init_fill(data, arg, NULL, &err))
        abort();
    free(data);
}

static void check_launch(const struct launch_file *f, const struct launch_spec *s)
{
    uint64_t total = 0;
    if (!s->name || !s->kernel || s->block.x * s->block.y * s->block.z > 1024 || s->grid.x == 0)
        abort();
    if (!launch_file_find(f, s->name))
        abort();
    for (uint32_t i = 0; i < s->arg_count; i++) {
        if (!s->args[i].is_buffer)
            continue;
        total += s->args[i].count * launch_type_info(s->args[i].type)->bytes;
        fill(&s->args[i]);
    }
    if (total > LAUNCH_MAX_BYTES)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct launch_file *f = NULL;
    struct err_list *errors = calloc(1, sizeof *errors);
    if (!errors)
        return 0;
    launch_file_probe((const char *)data, size);
    if (launch_file_parse(&f, "l.yaml", (const char *)data, size, errors)) {
        for (uint32_t i = 0; i < f->count; i++)
            check_launch(f, &f->launches[i]);
        launch_file_free(f);
    } else if (errors->count == 0) {
        abort();
    }
    free(errors);
    return 0;
}
