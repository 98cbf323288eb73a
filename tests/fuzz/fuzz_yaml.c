/* Fuzzes the configuration reader: any text is refused with errors, or gives a configuration that
 * shows as YAML which gives the same configuration again. */
#include <stdlib.h>
#include <string.h>

#include "cfg/derive.h"
#include "cfg/overlay.h"
#include "cfg/show.h"
#include "cfg/yaml.h"
#include "fuzz/target.h"

static void check_shown(const struct loaded_config *c, struct yaml_patch *patch,
                        struct err_list *errors)
{
    struct buf text = {0};
    config_show(c, &text);
    if (text.failed)
        return;
    if (!yaml_read("shown.yaml", text.data, text.len, patch, errors))
        abort();
    for (size_t i = 0; i < config_key_count(); i++)
        if (!schema_same(&patch->values, &c->cfg, config_key(i)))
            abort();
    buf_free(&text);
}

static void check_text(struct yaml_patch *patch, struct err_list *errors, const char *text,
                       size_t size)
{
    bool ok = yaml_read("fuzz.yaml", text, size, patch, errors);
    if (ok != (errors->count == 0))
        abort();
    struct loaded_config c = {0};
    c.origins = calloc(config_key_count(), sizeof *c.origins);
    if (ok && c.origins) {
        config_defaults(&c.cfg);
        overlay_patch(&c, patch, "fuzz.yaml");
        derive_check(&c, errors);
        memset(errors, 0, sizeof *errors);
        check_shown(&c, patch, errors);
    }
    config_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yaml_patch *patch = calloc(1, sizeof *patch);
    struct err_list *errors = calloc(1, sizeof *errors);
    if (patch && errors)
        check_text(patch, errors, (const char *)data, size);
    free(patch);
    free(errors);
    return 0;
}
