#include "trace/accelsim_header.h"

#include <string.h>

#include "isa/opcode.h"
#include "trace/accelsim_text.h"

/* Threads a CTA may have (CUDA programming guide, all compute capabilities). */
#define BLOCK_THREADS_MAX 1024

/* Registers a thread may have. */
#define REGISTERS_MAX 255

/* Keys: X(id, text, required, form of the value). `trace version` is how the documents of tracer
 * 2.0 call the tracer's version. */
#define HEADER_KEYS(X)                                                                             \
    X(NAME, "kernel name", true, "a name")                                                         \
    X(ID, "kernel id", false, "a number")                                                          \
    X(GRID, "grid dim", true, "(x,y,z) with numbers of at least 1")                                \
    X(BLOCK, "block dim", true, "(x,y,z) with numbers of at least 1")                              \
    X(SHMEM, "shmem", false, "a number of bytes below 2^32")                                       \
    X(NREGS, "nregs", false, "a number from 0 to 255")                                             \
    X(BINARY, "binary version", false, "a number such as 86")                                      \
    X(STREAM, "cuda stream id", false, "a number of 64 bits")                                      \
    X(SHMEM_BASE, "shmem base_addr", false, "a hexadecimal address")                               \
    X(LOCAL_BASE, "local mem base_addr", false, "a hexadecimal address")                           \
    X(NVBIT, "nvbit version", false, "a version")                                                  \
    X(TRACER, "accelsim tracer version", false, "a version from 0 to 6")                           \
    X(TRACER2, "trace version", false, "a version from 0 to 6")                                    \
    X(LINEINFO, "enable lineinfo", false, "0 or 1")

enum header_key {
#define X(id, text, required, form) KEY_##id,
    HEADER_KEYS(X)
#undef X
        KEY_COUNT
};

static const struct {
    const char *text;
    bool required;
    const char *form;
} header_keys[KEY_COUNT] = {
#define X(id, text, required, form) {text, required, form},
    HEADER_KEYS(X)
#undef X
};

const char *accelsim_value(const char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return NULL;
    const char *p = text_skip_blanks(line + n);
    return *p == '=' ? text_skip_blanks(p + 1) : NULL;
}

static bool ends(const char *p)
{
    return *text_skip_blanks(p) == '\0';
}

/* Digits, then `end`. */
static bool dim_part(const char **p, char end, uint32_t *out)
{
    const char *s = text_skip_blanks(*p);
    uint64_t v = 0;
    const char *first = s;
    for (; *s >= '0' && *s <= '9'; s++) {
        v = v * 10 + (uint64_t)(*s - '0');
        if (v > UINT32_MAX)
            return false;
    }
    if (s == first)
        return false;
    *out = (uint32_t)v;
    s = text_skip_blanks(s);
    if (*s != end)
        return false;
    *p = end ? s + 1 : s;
    return true;
}

bool accelsim_dim3(const char *text, struct dim3 *out)
{
    return dim_part(&text, ',', &out->x) && dim_part(&text, ',', &out->y) &&
           dim_part(&text, '\0', &out->z);
}

static bool parse_dim(const char *v, struct dim3 *out)
{
    if (*v++ != '(')
        return false;
    return dim_part(&v, ',', &out->x) && dim_part(&v, ',', &out->y) && dim_part(&v, ')', &out->z) &&
           ends(v) && out->x > 0 && out->y > 0 && out->z > 0;
}

static bool parse_u64(const char *v, uint64_t max, uint64_t *out)
{
    return text_u64(&v, max, out) && ends(v);
}

static bool parse_u32(const char *v, uint32_t max, uint32_t *out)
{
    uint64_t n;
    if (!parse_u64(v, max, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

static bool parse_hex(const char *v, uint64_t *out)
{
    return text_hex(&v, out) && ends(v);
}

/* Old tracers printed the pointer as a signed number of 32 bits. */
static bool parse_stream(const char *v, uint64_t *out)
{
    if (*v != '-')
        return parse_u64(v, UINT64_MAX, out);
    int64_t n;
    if (!text_i64(&v, &n) || !ends(v))
        return false;
    *out = (uint64_t)n;
    return true;
}

/* "5" or "1.2"; what follows the point says nothing about the form. */
static bool parse_version(const char *v, uint32_t *out)
{
    if (*v < '0' || *v > '0' + ACCELSIM_VERSION_MAX)
        return false;
    *out = (uint32_t)(*v++ - '0');
    if (*v == '.')
        for (v++; *v >= '0' && *v <= '9'; v++)
            ;
    return ends(v);
}

static bool parse_name(const char *v, struct arena *arena, const char **out, struct sim_err *err)
{
    size_t n = strlen(v);
    while (n > 0 && (v[n - 1] == ' ' || v[n - 1] == '\t'))
        n--;
    *out = arena_strndup(arena, v, n);
    return *out ? true : err_memory(err, "reading a trace header");
}

static bool parse_value(struct accelsim_header *h, enum header_key key, const char *v)
{
    uint32_t flag;
    switch (key) {
    case KEY_ID:
        return parse_u64(v, UINT64_MAX, &h->id);
    case KEY_GRID:
        return parse_dim(v, &h->grid);
    case KEY_BLOCK:
        return parse_dim(v, &h->block);
    case KEY_SHMEM:
        return parse_u32(v, UINT32_MAX, &h->shared_bytes);
    case KEY_NREGS:
        return parse_u32(v, REGISTERS_MAX, &h->registers);
    case KEY_BINARY:
        return parse_u32(v, 9999, &h->binary_version);
    case KEY_STREAM:
        return parse_stream(v, &h->stream);
    case KEY_SHMEM_BASE:
        return parse_hex(v, &h->shared_base);
    case KEY_LOCAL_BASE:
        return parse_hex(v, &h->local_base);
    case KEY_TRACER:
    case KEY_TRACER2:
        return parse_version(v, &h->version);
    case KEY_LINEINFO:
        if (!parse_u32(v, 1, &flag))
            return false;
        h->lineinfo = flag != 0;
        return true;
    case KEY_NAME:
    case KEY_NVBIT:
    case KEY_COUNT:
        break;
    }
    return true;
}

static const char *find_key(const char *line, enum header_key *key)
{
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        const char *value = accelsim_value(line, header_keys[i].text);
        if (value) {
            *key = (enum header_key)i;
            return value;
        }
    }
    return NULL;
}

bool accelsim_header_line(struct accelsim_header *h, const char *line, struct arena *arena,
                          struct accelsim_place *at, struct sim_err *err)
{
    enum header_key key = KEY_COUNT;
    const char *value = find_key(line + 1, &key);
    if (!value && !strchr(line, '='))
        return place_expected_line(at, "a header line '-key = value'", line, err);
    if (!value)
        return place_warn(at, err, "unknown header key '%.60s'", line);
    if (h->keys & 1u << key)
        return place_error(at, err, "expected '-%s' once, found it again", header_keys[key].text);
    h->keys |= 1u << key;
    if (key == KEY_NAME) {
        TRY(parse_name(value, arena, &h->name, err));
        at->kernel = h->name;
        return true;
    }
    if (!parse_value(h, key, value))
        return place_error(at, err, "expected %s after '-%s =', found '%.40s'",
                           header_keys[key].form, header_keys[key].text, value);
    return true;
}

bool accelsim_header_check(const struct accelsim_header *h, const struct accelsim_place *at,
                           struct sim_err *err)
{
    for (uint32_t i = 0; i < KEY_COUNT; i++)
        if (header_keys[i].required && !(h->keys & 1u << i))
            return place_error(at, err, "expected a header line '-%s = ...', found none",
                               header_keys[i].text);
    uint64_t threads = (uint64_t)h->block.x * h->block.y;
    threads = threads > BLOCK_THREADS_MAX ? threads : threads * h->block.z;
    if (threads > BLOCK_THREADS_MAX)
        return place_error(at, err, "expected a block of 1 to %d threads, found (%u,%u,%u)",
                           BLOCK_THREADS_MAX, h->block.x, h->block.y, h->block.z);
    uint64_t ctas;
    if (__builtin_mul_overflow((uint64_t)h->grid.x * h->grid.y, (uint64_t)h->grid.z, &ctas))
        return place_error(at, err, "expected a grid of less than 2^64 CTAs, found (%u,%u,%u)",
                           h->grid.x, h->grid.y, h->grid.z);
    if (!sm_version_known(h->binary_version))
        return place_warn(at, err, "the binary version %u is not known (0 = not given)",
                          h->binary_version);
    return true;
}
