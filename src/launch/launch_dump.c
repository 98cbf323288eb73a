#include "launch/launch_dump.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/outfile.h"

static bool dump(const char *path, const struct emu_buffer *b, struct sim_err *err)
{
    struct outfile o = {0};
    TRY(outfile_open(&o, path, err));
    if (outfile_write(&o, (const char *)b->data, (size_t)b->bytes, err))
        return outfile_commit(&o, err);
    outfile_abort(&o);
    return false;
}

bool launch_dump_buffers(const struct launch *l, const char *folder, struct sim_err *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return err_set(err, ERR_RESOURCE, folder, 0, 0, "cannot make the folder: %s",
                       strerror(errno));
    for (uint32_t i = 0; i < l->emu.buffer_count; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s.%u.bin", folder, l->spec->name, l->buffer_arg[i]);
        bool ok = path.failed ? err_memory(err, "writing buffers")
                              : dump(path.data, &l->emu.buffers[i], err);
        buf_free(&path);
        TRY(ok);
    }
    return true;
}
