#include "app/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool read_all(FILE *f, struct buf *out)
{
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        buf_add(out, part, n);
    return !ferror(f);
}

static bool start(FILE *in, FILE *out, FILE *complaints, pid_t *pid, struct sim_err *err)
{
    char *argv[] = {(char[]){"gnuplot"}, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), 2);
    int rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc == 0)
        return true;
    return err_set(err, ERR_RESOURCE, NULL, 0, 0,
                   "charts are drawn by gnuplot, which cannot be started: %s (Debian: gnuplot-nox)",
                   strerror(rc));
}

static bool wait_for(pid_t pid, FILE *complaints, struct sim_err *err)
{
    int status = 0;
    struct buf text = {0};
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, ERR_RESOURCE, NULL, 0, 0, "gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    rewind(complaints);
    read_all(complaints, &text);
    err_set(err, ERR_RESOURCE, NULL, 0, 0, "gnuplot: exit status %d",
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    err->detail = buf_take(&text);
    return false;
}

bool gnuplot_draw(void *user, const char *script, struct buf *svg, struct sim_err *err)
{
    (void)user;
    pid_t pid;
    FILE *in = tmpfile(), *out = tmpfile(), *complaints = tmpfile();
    bool ok = in && out && complaints;
    if (!ok || fputs(script, in) == EOF || fflush(in) != 0)
        ok = err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot write a script for gnuplot: %s",
                     strerror(errno));
    if (ok)
        rewind(in);
    ok = ok && start(in, out, complaints, &pid, err) && wait_for(pid, complaints, err);
    if (ok) {
        rewind(out);
        ok = read_all(out, svg) || err_set(err, ERR_RESOURCE, NULL, 0, 0,
                                           "cannot read what gnuplot drew: %s", strerror(errno));
    }
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    if (complaints)
        fclose(complaints);
    return ok;
}
