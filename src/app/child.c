#include "app/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool fail(struct sim_err *err, const char *name, int reason)
{
    return err_set(err, ERR_RESOURCE, NULL, 0, 0, "cannot run %s: %s", name, strerror(reason));
}

static void read_all(int fd, struct buf *out)
{
    char part[4096];
    for (;;) {
        ssize_t n = read(fd, part, sizeof part);
        if (n > 0)
            buf_add(out, part, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return;
    }
}

bool child_run(const char *const *argv, struct buf *out, int *status, struct sim_err *err)
{
    int pipes[2], state = 0;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(pipes) != 0)
        return fail(err, argv[0], errno);
    fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
    fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
    /* The strings are not changed: the type of posix_spawnp is older than const. */
    int reason = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    if (reason == 0) {
        read_all(pipes[0], out);
        while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
            continue;
    }
    close(pipes[0]);
    if (reason != 0)
        return fail(err, argv[0], reason);
    *status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return true;
}
