#include "launch/cubin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "isa/opcode.h"

/* ELF64 (System V ABI) and NVIDIA's numbers, as read off cubins of nvcc 13. */
#define ELF_HEADER 64
#define ELF_SECTION 64
#define ELF_SYMBOL 24
#define MACHINE_CUDA 190
#define TYPE_SYMTAB 2
#define TYPE_NOBITS 8

/* Attributes of .nv.info. A record is format, attribute, and two bytes: a value, or with
 * FORMAT_SIZED the size of what follows. */
#define FORMAT_SIZED 4
#define ATTR_PARAM_CBANK 0x0a
#define ATTR_FRAME_SIZE 0x11
#define ATTR_MIN_STACK_SIZE 0x12
#define ATTR_KPARAM_INFO 0x17
#define ATTR_MAX_STACK_SIZE 0x23
#define ATTR_REGCOUNT 0x2f

struct section {
    const char *name; /* in the string table, terminated */
    uint32_t type, link;
    const uint8_t *data; /* NULL for NOBITS */
    uint64_t bytes;
};

struct cubin {
    char *path;
    uint8_t *data;
    size_t len;
    uint32_t sm;
    struct section *sections;
    uint32_t count;
};

static uint32_t u16_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32_at(const uint8_t *p)
{
    return u16_at(p) | u16_at(p + 2) << 16;
}

static uint64_t u64_at(const uint8_t *p)
{
    return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

#define CUBIN_ERROR(c, err, ...) err_set(err, ERR_INPUT, (c)->path, 0, 0, "cubin: " __VA_ARGS__)

static bool within(const struct cubin *c, uint64_t offset, uint64_t bytes)
{
    return offset <= c->len && bytes <= c->len - offset;
}

static bool read_header(struct cubin *c, uint64_t *table, uint32_t *names, struct sim_err *err)
{
    const uint8_t *d = c->data;
    if (c->len < ELF_HEADER || memcmp(d,
                                      "\x7f"
                                      "ELF",
                                      4) != 0)
        return CUBIN_ERROR(c, err, "expected an ELF file, found something else");
    if (d[4] != 2 || d[5] != 1)
        return CUBIN_ERROR(c, err, "expected 64-bit little-endian ELF");
    if (u16_at(d + 18) != MACHINE_CUDA)
        return CUBIN_ERROR(c, err, "expected the machine NVIDIA CUDA (%d), found %u", MACHINE_CUDA,
                           u16_at(d + 18));
    *table = u64_at(d + 40);
    c->count = u16_at(d + 60);
    *names = u16_at(d + 62);
    if (u16_at(d + 58) != ELF_SECTION || !within(c, *table, (uint64_t)c->count * ELF_SECTION))
        return CUBIN_ERROR(c, err, "the section table lies outside the file (truncated?)");
    if (*names >= c->count)
        return CUBIN_ERROR(c, err, "section names are in section %u of %u", *names, c->count);
    /* The SM is in bits 8-15 of the flags since version 8 of NVIDIA's ABI, in bits 0-7 before. */
    uint32_t flags = u32_at(d + 48);
    uint32_t sm = d[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff;
    c->sm = sm_version_known(sm) ? sm : 0;
    return true;
}

/* A string of a string table that ends with a NUL as it must; NULL when there is none. */
static const char *string_at(const struct section *table, uint64_t offset)
{
    if (!table->data || offset >= table->bytes || table->data[table->bytes - 1] != '\0')
        return NULL;
    return (const char *)table->data + offset;
}

static bool read_section(const struct cubin *c, const uint8_t *row, uint32_t i, struct section *out,
                         struct sim_err *err)
{
    uint64_t offset = u64_at(row + 24);
    *out = (struct section){
        .type = u32_at(row + 4), .link = u32_at(row + 40), .bytes = u64_at(row + 32)};
    if (out->type == TYPE_NOBITS || out->type == 0)
        return true;
    if (!within(c, offset, out->bytes))
        return CUBIN_ERROR(c, err, "section %u lies outside the file (truncated?)", i);
    out->data = c->data + offset;
    return true;
}

static bool read_sections(struct cubin *c, struct sim_err *err)
{
    uint64_t table = 0;
    uint32_t names = 0;
    TRY(read_header(c, &table, &names, err));
    c->sections = calloc(c->count, sizeof *c->sections);
    if (!c->sections)
        return err_memory(err, "reading a cubin");
    for (uint32_t i = 0; i < c->count; i++)
        TRY(read_section(c, c->data + table + (size_t)i * ELF_SECTION, i, &c->sections[i], err));
    for (uint32_t i = 0; i < c->count; i++) {
        c->sections[i].name =
            string_at(&c->sections[names], u32_at(c->data + table + (size_t)i * ELF_SECTION));
        if (!c->sections[i].name)
            return CUBIN_ERROR(c, err, "the name of section %u lies outside its table", i);
    }
    return true;
}

/* Takes over `data`. */
static bool open_data(struct cubin **out, const char *path, uint8_t *data, size_t len,
                      struct sim_err *err)
{
    struct cubin *c = calloc(1, sizeof *c);
    char *copy = strdup(path);
    *out = NULL;
    if (!c || !copy) {
        free(c);
        free(copy);
        free(data);
        return err_memory(err, "reading a cubin");
    }
    c->path = copy;
    c->data = data;
    c->len = len;
    if (!read_sections(c, err)) {
        cubin_free(c);
        return false;
    }
    *out = c;
    return true;
}

bool cubin_parse(struct cubin **out, const char *path, const uint8_t *data, size_t len,
                 struct sim_err *err)
{
    uint8_t *copy = malloc(len + 1);
    *out = NULL;
    if (!copy)
        return err_memory(err, "reading a cubin");
    if (len > 0)
        memcpy(copy, data, len);
    return open_data(out, path, copy, len, err);
}

/* All of a stream; *out is heap-owned. */
static bool read_stream(struct stream *s, uint8_t **out, size_t *len, struct sim_err *err)
{
    size_t cap = (size_t)1 << 20, got = 0;
    uint8_t *data = NULL;
    *len = 0;
    do {
        if (!data || *len == cap) {
            cap = data ? 2 * cap : cap;
            uint8_t *grown = realloc(data, cap);
            if (!grown) {
                free(data);
                return err_memory(err, "reading a cubin");
            }
            data = grown;
        }
        if (!stream_read(s, data + *len, cap - *len, &got, err)) {
            free(data);
            return false;
        }
        *len += got;
        if (*len > CUBIN_MAX_BYTES) {
            free(data);
            return err_set(err, ERR_INPUT, stream_path(s), 0, 0,
                           "the file is larger than %zu bytes: not a cubin", CUBIN_MAX_BYTES);
        }
    } while (got > 0);
    *out = data;
    return true;
}

bool cubin_load(struct cubin **out, const char *path, struct sim_err *err)
{
    struct stream *s;
    uint8_t *data = NULL;
    size_t len = 0;
    *out = NULL;
    TRY(stream_open(&s, path, err));
    bool ok = read_stream(s, &data, &len, err);
    stream_close(s);
    return ok && open_data(out, path, data, len, err);
}

/* The section PREFIX.KERNEL (kernel NULL: PREFIX), or NULL. */
static const struct section *find(const struct cubin *c, const char *prefix, const char *kernel)
{
    size_t n = strlen(prefix);
    for (uint32_t i = 0; i < c->count; i++) {
        const char *name = c->sections[i].name;
        if (strncmp(name, prefix, n) != 0)
            continue;
        if (kernel ? name[n] == '.' && strcmp(name + n + 1, kernel) == 0 : name[n] == '\0')
            return &c->sections[i];
    }
    return NULL;
}

/* One record of an .nv.info section. */
struct info {
    uint32_t attribute, value, bytes;
    const uint8_t *data; /* NULL: only `value` */
};

/* Next record; *at moves on. False at the end; a record that is cut off is an error. */
static bool next_info(const struct cubin *c, const struct section *s, uint64_t *at,
                      struct info *out, struct sim_err *err)
{
    if (*at >= s->bytes)
        return false;
    uint64_t left = s->bytes - *at;
    if (left < 4)
        return CUBIN_ERROR(c, err, "%s ends inside a record", s->name);
    const uint8_t *p = s->data + *at;
    *out = (struct info){.attribute = p[1], .value = u16_at(p + 2)};
    *at += 4;
    if (p[0] != FORMAT_SIZED)
        return true;
    if (out->value > left - 4)
        return CUBIN_ERROR(c, err, "%s ends inside a record", s->name);
    out->data = p + 4;
    out->bytes = out->value;
    *at += out->value;
    return true;
}

/* Name of symbol i of the table `s`, or NULL. */
static const char *symbol_name(const struct cubin *c, const struct section *s, uint32_t i)
{
    if (!s || s->type != TYPE_SYMTAB || !s->data || s->link >= c->count ||
        i >= s->bytes / ELF_SYMBOL)
        return NULL;
    return string_at(&c->sections[s->link], u32_at(s->data + (size_t)i * ELF_SYMBOL));
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* .nv.info: registers and stack of all functions, by symbol. */
static bool read_common(const struct cubin *c, const char *kernel, struct cubin_kernel *out,
                        struct sim_err *err)
{
    const struct section *s = find(c, ".nv.info", NULL), *symbols = find(c, ".symtab", NULL);
    struct info r;
    uint64_t at = 0;
    while (s && s->data && next_info(c, s, &at, &r, err)) {
        if (!r.data || r.bytes < 8)
            continue;
        const char *name = symbol_name(c, symbols, u32_at(r.data));
        if (!name || strcmp(name, kernel) != 0)
            continue;
        uint32_t v = u32_at(r.data + 4);
        if (r.attribute == ATTR_REGCOUNT)
            out->registers = v & 0xffff;
        else if (r.attribute == ATTR_FRAME_SIZE || r.attribute == ATTR_MIN_STACK_SIZE ||
                 r.attribute == ATTR_MAX_STACK_SIZE)
            out->frame_bytes = max_u32(out->frame_bytes, v);
    }
    return err->code == ERR_NONE;
}

/* KPARAM_INFO: index (4 bytes), ordinal (2), offset (2), flags with the size from bit 18 on (4). */
static bool read_param(const struct cubin *c, const struct info *r, struct cubin_kernel *out,
                       struct sim_err *err)
{
    if (r->bytes < 12)
        return true;
    uint32_t i = u16_at(r->data + 4);
    if (i >= CUBIN_MAX_PARAMS)
        return CUBIN_ERROR(c, err, "a kernel with more than %d parameters", CUBIN_MAX_PARAMS);
    out->params[i] = (struct cubin_param){u16_at(r->data + 6), u32_at(r->data + 8) >> 18};
    out->param_count = max_u32(out->param_count, i + 1);
    return true;
}

/* .nv.info.K: parameters. */
static bool read_own(const struct cubin *c, const char *kernel, struct cubin_kernel *out,
                     struct sim_err *err)
{
    const struct section *s = find(c, ".nv.info", kernel);
    struct info r;
    uint64_t at = 0;
    while (s && s->data && next_info(c, s, &at, &r, err)) {
        if (!r.data)
            continue;
        if (r.attribute == ATTR_KPARAM_INFO)
            TRY(read_param(c, &r, out, err));
        if (r.attribute == ATTR_PARAM_CBANK && r.bytes >= 8) {
            out->has_params = true;
            out->param_base = u16_at(r.data + 4);
            out->param_bytes = u16_at(r.data + 6);
        }
    }
    return err->code == ERR_NONE;
}

static bool read_bank(const struct cubin *c, const char *kernel, uint32_t bank,
                      struct cubin_kernel *out, struct sim_err *err)
{
    char prefix[32] = ".nv.constant";
    size_t n = strlen(prefix);
    if (bank >= 10)
        prefix[n++] = (char)('0' + bank / 10);
    prefix[n++] = (char)('0' + bank % 10);
    prefix[n] = '\0';
    const struct section *s = find(c, prefix, kernel);
    if (!s)
        s = find(c, prefix, NULL);
    if (!s || !s->data)
        return true;
    if (s->bytes > 65536)
        return CUBIN_ERROR(c, err, "%s has %" PRIu64 " bytes, but banks have at most 65536",
                           s->name, s->bytes);
    out->bank[bank] = s->data;
    out->bank_bytes[bank] = (uint32_t)s->bytes;
    return true;
}

bool cubin_kernel(const struct cubin *c, const char *kernel, struct cubin_kernel *out,
                  struct sim_err *err)
{
    memset(out, 0, sizeof *out);
    const struct section *text = find(c, ".text", kernel);
    if (!text)
        return CUBIN_ERROR(c, err, "holds no kernel '%s' (no section .text.%s)", kernel, kernel);
    out->code_bytes = text->bytes;
    const struct section *shared = find(c, ".nv.shared", kernel);
    out->shared_bytes = shared ? shared->bytes : 0;
    TRY(read_common(c, kernel, out, err));
    TRY(read_own(c, kernel, out, err));
    for (uint32_t bank = 0; bank < CUBIN_BANKS; bank++)
        TRY(read_bank(c, kernel, bank, out, err));
    return true;
}

uint32_t cubin_sm(const struct cubin *c)
{
    return c->sm;
}

const char *cubin_path(const struct cubin *c)
{
    return c->path;
}

void cubin_free(struct cubin *c)
{
    if (!c)
        return;
    free(c->sections);
    free(c->data);
    free(c->path);
    free(c);
}
