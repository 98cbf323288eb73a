/* A user's program: simulates argv[2] on the card argv[1] and prints the cycles of its first
 * kernel. */
#include <stdio.h>
#include <subcore/subcore.h>

int main(int argc, char **argv)
{
    uint64_t cycles = 0;
    struct subcore *s = argc == 3 ? subcore_open(argv[1], NULL, 0) : NULL;
    if (!s)
        return 2;
    if (subcore_run(s, argv[2]) != SUBCORE_OK) {
        fprintf(stderr, "%s\n", subcore_error(s));
        return 1;
    }
    subcore_stat(s, 0, "cycles", &cycles);
    printf("%llu\n", (unsigned long long)cycles);
    subcore_close(s);
    return 0;
}
