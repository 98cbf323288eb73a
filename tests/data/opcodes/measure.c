/* Runs the launches on the GPU and writes what they leave in memory.
 *
 *   measure CUBIN LAUNCHES.yaml FOLDER
 *
 * FOLDER gets expected.csv, a line a buffer (launch, argument, bytes, CRC-32, first words), and
 * NAME.ARGUMENT.bin of the buffers that changed. Reads the one-line launches of this folder only;
 * initialisers: zeros, hash (integers), file. Every launch runs twice, on fresh buffers: a
 * result that is not the same both times is an error. Device addresses do not matter. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        CUresult check = (call);                                                                   \
        const char *text = "?";                                                                    \
        if (check != CUDA_SUCCESS) {                                                               \
            cuGetErrorString(check, &text);                                                        \
            fail(#call, text);                                                                     \
        }                                                                                          \
    } while (0)

struct buffer {
    size_t bytes; /* 0 = a scalar, which is 0 */
    char *before, *after;
    CUdeviceptr device;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "measure: %s: %s\n", what, why);
    exit(1);
}

static uint32_t crc32_of(const char *data, size_t bytes)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= (uint8_t)data[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint64_t hash(uint64_t seed, uint64_t i)
{
    const uint64_t g = 0x9e3779b97f4a7c15;
    uint64_t z = (seed * g + i + 1) * g;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void fill(struct buffer *b, const char *init, unsigned size, const char *folder)
{
    char path[2048];
    unsigned seed;
    b->before = calloc(1, b->bytes);
    b->after = malloc(b->bytes);
    if (sscanf(init, "hash %u", &seed) == 1) {
        for (size_t i = 0; i < b->bytes / size; i++) {
            uint64_t h = size == 8 ? hash(seed, i) : hash(seed, i) >> 32;
            memcpy(b->before + i * size, &h, size);
        }
    } else if (strncmp(init, "file ", 5) == 0) {
        snprintf(path, sizeof path, "%s/%s", folder, init + 5);
        FILE *in = fopen(path, "rb");
        if (!in || fread(b->before, 1, b->bytes, in) != b->bytes || fgetc(in) != EOF)
            fail(path, "not a file of the buffer's size");
        fclose(in);
    } else if (strcmp(init, "zeros") != 0) {
        fail(init, "unknown initialiser");
    }
}

/* Reads the arguments from `text` on; returns their number. */
static unsigned arguments(const char *text, struct buffer *b, const char *folder)
{
    unsigned n = 0, bits, count;
    char init[256];
    for (const char *p = strchr(text, '{'); p && n < 4; p = strchr(p + 1, '{'), n++) {
        memset(&b[n], 0, sizeof b[n]);
        if (sscanf(p, "{buf: u%u, count: %u, init: %255[^}]}", &bits, &count, init) == 3) {
            b[n].bytes = (size_t)count * bits / 8;
            fill(&b[n], init, bits / 8, folder);
        } else if (strncmp(p, "{u64: 0}", 8) != 0) {
            fail("unexpected argument", p);
        }
    }
    return n;
}

static void run(CUfunction f, unsigned grid, unsigned block, struct buffer *b, unsigned count)
{
    void *values[4];
    for (unsigned k = 0; k < count; k++) {
        values[k] = &b[k].device;
        if (b[k].bytes == 0)
            continue;
        CHECK(cuMemAlloc(&b[k].device, b[k].bytes));
        CHECK(cuMemcpyHtoD(b[k].device, b[k].before, b[k].bytes));
    }
    CHECK(cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, NULL, values, NULL));
    CHECK(cuCtxSynchronize());
    for (unsigned k = 0; k < count; k++) {
        if (b[k].bytes == 0)
            continue;
        CHECK(cuMemcpyDtoH(b[k].after, b[k].device, b[k].bytes));
        CHECK(cuMemFree(b[k].device));
    }
}

static void write_buffer(FILE *csv, const char *folder, const char *name, unsigned k,
                         const struct buffer *b)
{
    char path[2048];
    fprintf(csv, "%s,%u,%zu,%08x,", name, k, b->bytes, crc32_of(b->after, b->bytes));
    for (unsigned w = 0; w < 8 && w < b->bytes / 4; w++) {
        uint32_t word;
        memcpy(&word, b->after + 4 * w, 4);
        fprintf(csv, "%s%08x", w ? " " : "", word);
    }
    fputc('\n', csv);
    if (memcmp(b->before, b->after, b->bytes) == 0)
        return;
    snprintf(path, sizeof path, "%s/%s.%u.bin", folder, name, k);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(b->after, 1, b->bytes, out) != b->bytes || fclose(out) != 0)
        fail(path, "cannot write");
}

static void measure(CUmodule module, const char *line, const char *inputs, const char *out,
                    FILE *csv)
{
    char name[128], kernel[128];
    unsigned grid, block;
    int args = 0;
    struct buffer b[4];
    CUfunction f;
    uint32_t first[4] = {0};
    if (sscanf(line, "- {name: %127[^,], kernel: %127[^,], grid: [%u], block: [%u], args: [%n",
               name, kernel, &grid, &block, &args) != 4 ||
        args == 0)
        fail("unexpected line", line);
    unsigned count = arguments(line + args, b, inputs);
    CHECK(cuModuleGetFunction(&f, module, kernel));
    run(f, grid, block, b, count);
    for (unsigned k = 0; k < count; k++)
        first[k] = crc32_of(b[k].after, b[k].bytes);
    run(f, grid, block, b, count);
    for (unsigned k = 0; k < count; k++) {
        if (crc32_of(b[k].after, b[k].bytes) != first[k])
            fail(name, "a buffer is not the same twice");
        if (b[k].bytes > 0)
            write_buffer(csv, out, name, k, &b[k]);
        free(b[k].before);
        free(b[k].after);
    }
}

int main(int count, char **words)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    char line[4096], folder[1024], path[2048];
    if (count != 4)
        fail("usage", "measure CUBIN LAUNCHES.yaml FOLDER");
    snprintf(folder, sizeof folder, "%s", words[2]);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, slash ? "" : ".");
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoad(&module, words[1]));
    snprintf(path, sizeof path, "%s/expected.csv", words[3]);
    FILE *csv = fopen(path, "w"), *in = fopen(words[2], "r");
    if (!csv || !in)
        fail(csv ? words[2] : path, "cannot open");
    fprintf(csv, "launch,argument,bytes,crc32,head\n");
    while (fgets(line, sizeof line, in))
        if (line[0] == '-')
            measure(module, line, folder, words[3], csv);
    fclose(in);
    return fclose(csv) == 0 ? 0 : 1;
}
