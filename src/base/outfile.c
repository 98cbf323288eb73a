#define _XOPEN_SOURCE 700 /* realpath */

#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

/* Attempts at a free temporary name; more than a directory ever holds from one process. */
#define TMP_ATTEMPTS 100u

static bool fail_write(const struct outfile *o, struct sim_err *err)
{
    return err_set(err, ERR_RESOURCE, o->path, 0, 0, "cannot write: %s", strerror(errno));
}

static void release(struct outfile *o)
{
    free(o->path);
    free(o->tmp_path);
    memset(o, 0, sizeof *o);
}

/* A new file beside `o->path`; the mode follows the umask as for any other new file. */
static int open_temporary(struct outfile *o)
{
    const char *slash = strrchr(o->path, '/');
    int dir_len = slash ? (int)(slash - o->path + 1) : 0;
    for (unsigned i = 0; i < TMP_ATTEMPTS; i++) {
        struct buf name = {0};
        buf_printf(&name, "%.*s.subcore-%ld-%u.tmp", dir_len, o->path, (long)getpid(), i);
        free(o->tmp_path);
        o->tmp_path = buf_take(&name);
        if (!o->tmp_path) {
            errno = ENOMEM;
            return -1;
        }
        int fd = open(o->tmp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static bool open_stdout(struct outfile *o, struct sim_err *err)
{
    int fd = dup(STDOUT_FILENO);
    if (fd >= 0)
        o->stream = fdopen(fd, "w");
    if (o->stream)
        return true;
    fail_write(o, err);
    if (fd >= 0)
        close(fd);
    release(o);
    return false;
}

/* An existing name: the file behind a symbolic link is the one to replace. */
static bool resolve(struct outfile *o, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return false;
    free(o->path);
    o->path = real;
    return true;
}

bool outfile_open(struct outfile *o, const char *path, struct sim_err *err)
{
    memset(o, 0, sizeof *o);
    bool to_stdout = strcmp(path, "-") == 0;
    o->path = strdup(to_stdout ? "standard output" : path);
    if (!o->path)
        return err_memory(err, "opening an output file");
    if (to_stdout)
        return open_stdout(o, err);
    struct stat st;
    bool exists = stat(path, &st) == 0;
    int fd;
    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        fd = -1;
    } else if (exists && !S_ISREG(st.st_mode)) {
        fd = open(path, O_WRONLY | O_CLOEXEC);
    } else if (exists && !resolve(o, path)) {
        fd = -1;
    } else {
        fd = open_temporary(o);
    }
    if (fd >= 0)
        o->stream = fdopen(fd, "w");
    if (o->stream)
        return true;
    fail_write(o, err);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && o->tmp_path)
        unlink(o->tmp_path);
    release(o);
    return false;
}

bool outfile_write(struct outfile *o, const char *data, size_t len, struct sim_err *err)
{
    if (len > 0 && fwrite(data, 1, len, o->stream) != len)
        return fail_write(o, err);
    return true;
}

bool outfile_flush(struct outfile *o, struct sim_err *err)
{
    return fflush(o->stream) == 0 || fail_write(o, err);
}

bool outfile_hold(struct outfile *o, struct sim_err *err)
{
    if (o->tmp_path) {
        o->mark = ftello(o->stream);
        if (o->mark < 0)
            return fail_write(o, err);
    } else {
        FILE *spool = tmpfile();
        if (!spool)
            return err_set(err, ERR_RESOURCE, o->path, 0, 0, "cannot make a temporary file: %s",
                           strerror(errno));
        o->direct = o->stream;
        o->stream = spool;
    }
    o->held = true;
    return true;
}

/* Ends holding of a file that is written directly. */
static void close_spool(struct outfile *o)
{
    fclose(o->stream);
    o->stream = o->direct;
    o->direct = NULL;
}

static bool copy_spool(struct outfile *o)
{
    char part[65536];
    size_t n;
    bool ok = !ferror(o->stream) && fseeko(o->stream, 0, SEEK_SET) == 0;
    while (ok && (n = fread(part, 1, sizeof part, o->stream)) > 0)
        ok = fwrite(part, 1, n, o->direct) == n;
    return ok && !ferror(o->stream);
}

bool outfile_keep(struct outfile *o, struct sim_err *err)
{
    bool ok = true;
    if (o->held && o->direct) {
        ok = copy_spool(o) || fail_write(o, err);
        close_spool(o);
    }
    o->held = false;
    return ok;
}

bool outfile_drop(struct outfile *o, struct sim_err *err)
{
    bool ok = true;
    if (o->held && o->direct)
        close_spool(o);
    else if (o->held)
        ok = fflush(o->stream) == 0 && ftruncate(fileno(o->stream), (off_t)o->mark) == 0 &&
             fseeko(o->stream, (off_t)o->mark, SEEK_SET) == 0;
    o->held = false;
    return ok || fail_write(o, err);
}

bool outfile_commit(struct outfile *o, struct sim_err *err)
{
    bool written = outfile_keep(o, err) && !ferror(o->stream);
    written = fclose(o->stream) == 0 && written;
    o->stream = NULL;
    if (written && o->tmp_path)
        written = rename(o->tmp_path, o->path) == 0;
    if (!written) {
        fail_write(o, err);
        if (o->tmp_path)
            unlink(o->tmp_path);
    }
    release(o);
    return written;
}

void outfile_abort(struct outfile *o)
{
    if (!o->stream)
        return;
    if (o->direct)
        close_spool(o);
    fclose(o->stream);
    if (o->tmp_path)
        unlink(o->tmp_path);
    release(o);
}
