#include "app/trace_output.h"

#include <string.h>
#include <sys/stat.h>

#include "trace/accelsim_write.h"
#include "trace/native_trace.h"

static bool is_folder(const char *path)
{
    struct stat st;
    size_t len = strlen(path);
    return (len > 0 && path[len - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

bool trace_output_open(struct trace_writer **out, const char *path, bool droppable,
                       struct sim_err *err)
{
    TRY(is_folder(path) ? accelsim_write_open(out, path, err) : native_trace_open(out, path, err));
    (*out)->droppable = droppable;
    return true;
}
