/* Fuzzes the reader of cubins: whatever the bytes, what it gives lies within the file. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/target.h"
#include "launch/cubin.h"

static void read_kernel(const struct cubin *c, const char *name)
{
    struct sim_err err = {.code = ERR_NONE};
    struct cubin_kernel *k = malloc(sizeof *k);
    volatile uint8_t sum = 0;
    if (!k)
        return;
    if (cubin_kernel(c, name, k, &err)) {
        for (uint32_t bank = 0; bank < CUBIN_BANKS; bank++)
            for (uint32_t i = 0; k->bank[bank] && i < k->bank_bytes[bank]; i++)
                sum = (uint8_t)(sum + k->bank[bank][i]);
        if (k->param_count > CUBIN_MAX_PARAMS)
            abort();
    } else if (err.code == ERR_NONE) {
        abort();
    }
    free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin *c = NULL;
    struct sim_err err = {.code = ERR_NONE};
    if (cubin_parse(&c, "k.cubin", data, size, &err)) {
        read_kernel(c, "k");
        read_kernel(c, "");
    } else if (err.code == ERR_NONE) {
        abort();
    }
    cubin_free(c);
    return 0;
}
