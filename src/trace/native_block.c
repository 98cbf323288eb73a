#include "trace/native_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "isa/opcode.h"

#define BLOCK_HEADER_BYTES 21 /* kind, crc, content length, stream length */

static void put_le(uint8_t *p, uint64_t v, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

uint64_t native_get_le(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

bool native_put_block(struct outfile *o, enum native_kind kind, const struct pack_bytes *content,
                      uint64_t *offset, struct sim_err *err)
{
    uLongf size = compressBound((uLong)content->len);
    uint8_t *stream = malloc(size);
    if (!stream)
        return err_memory(err, "writing a trace");
    static const uint8_t nothing[1] = {0};
    const uint8_t *data = content->data ? content->data : nothing;
    bool ok = compress2(stream, &size, data, (uLong)content->len, 6) == Z_OK;
    if (!ok)
        err_memory(err, "compressing a trace");
    uint8_t head[BLOCK_HEADER_BYTES];
    head[0] = (uint8_t)kind;
    put_le(head + 1, crc32(0, data, (uInt)content->len), 4);
    put_le(head + 5, content->len, 8);
    put_le(head + 13, size, 8);
    ok = ok && outfile_write(o, (const char *)head, sizeof head, err) &&
         outfile_write(o, (const char *)stream, size, err);
    *offset += sizeof head + size;
    free(stream);
    return ok;
}

/* Inflates from the file into a buffer that grows with what arrives, so that a false length costs
 * nothing. */
static bool inflate_block(FILE *f, uint64_t stream_len, uint64_t content_len,
                          struct native_block *out)
{
    uint8_t in[16384];
    z_stream z = {0};
    size_t cap = 0;
    int state = Z_OK;
    if (inflateInit(&z) != Z_OK)
        return false;
    while (state == Z_OK && (stream_len > 0 || z.avail_in > 0)) {
        if (z.avail_in == 0) {
            size_t want = stream_len < sizeof in ? (size_t)stream_len : sizeof in;
            z.avail_in = (uInt)fread(in, 1, want, f);
            z.next_in = in;
            if (z.avail_in == 0)
                break;
            stream_len -= z.avail_in;
        }
        if (out->len == cap) {
            cap = cap ? cap * 2 : 65536;
            if (cap > content_len + 1)
                cap = (size_t)content_len + 1;
            uint8_t *p = realloc(out->data, cap);
            if (!p || out->len == cap) {
                out->data = p ? p : out->data;
                break;
            }
            out->data = p;
        }
        z.next_out = out->data + out->len;
        z.avail_out = (uInt)(cap - out->len);
        state = inflate(&z, Z_NO_FLUSH);
        out->len = cap - z.avail_out;
    }
    inflateEnd(&z);
    return state == Z_STREAM_END && stream_len == 0 && z.avail_in == 0 && out->len == content_len;
}

bool native_get_block(FILE *f, const char *path, struct native_block *out, struct sim_err *err)
{
    uint8_t head[BLOCK_HEADER_BYTES];
    memset(out, 0, sizeof *out);
    if (fread(head, 1, sizeof head, f) != sizeof head)
        return err_set(err, ERR_INPUT, path, 0, 0, "the trace is cut off: expected a block");
    uint64_t content_len = native_get_le(head + 5, 8), stream_len = native_get_le(head + 13, 8);
    if (content_len > NATIVE_BLOCK_MAX || stream_len > NATIVE_BLOCK_MAX)
        return err_set(err, ERR_INPUT, path, 0, 0,
                       "a block claims %llu bytes, expected at most %llu: the trace is damaged",
                       (unsigned long long)content_len, (unsigned long long)NATIVE_BLOCK_MAX);
    out->kind = head[0];
    bool ok = inflate_block(f, stream_len, content_len, out);
    if (ok && crc32(0, out->data, (uInt)out->len) == (uint32_t)native_get_le(head + 1, 4))
        return true;
    free(out->data);
    memset(out, 0, sizeof *out);
    return err_set(err, ERR_INPUT, path, 0, 0, "a block is cut off or damaged (%s)",
                   ok ? "its checksum is wrong" : "it does not decompress");
}

bool native_put_string(struct pack_bytes *b, const char *s)
{
    size_t len = s ? strlen(s) : 0;
    return pack_put(b, s ? len + 1 : 0) && pack_put_bytes(b, s, len);
}

bool native_get_string(const uint8_t **p, const uint8_t *end, struct arena *arena, const char **s)
{
    uint64_t n;
    *s = NULL;
    TRY(pack_get(p, end, &n));
    if (n == 0)
        return true;
    if (n - 1 > (uint64_t)(end - *p))
        return false;
    char *copy = arena_strndup(arena, (const char *)*p, (size_t)n - 1);
    *p += n - 1;
    *s = copy;
    return copy != NULL;
}

static bool put_operand(struct pack_bytes *b, const struct operand *o)
{
    return pack_put(b, o->file) && pack_put(b, o->role) && pack_put(b, o->index) &&
           pack_put(b, o->count) && pack_put(b, (uint64_t)o->slot << 1 | o->reuse);
}

bool native_put_inst(struct pack_bytes *b, const struct inst *in)
{
    TRY(pack_put(b, in->pc) && native_put_string(b, in->opcode) && native_put_string(b, in->text) &&
        native_put_string(b, op_class_name((enum op_class)in->op_class)) && pack_put(b, in->flags));
    TRY(pack_put(b, in->guard_file) && pack_put(b, in->guard) && pack_put(b, in->guard_negate));
    TRY(pack_put(b, in->ctrl.stall) && pack_put(b, in->ctrl.yield) &&
        pack_put(b, in->ctrl.write_bar) && pack_put(b, in->ctrl.read_bar) &&
        pack_put(b, in->ctrl.wait_mask));
    TRY(pack_put(b, in->operand_count));
    for (uint32_t i = 0; i < in->operand_count; i++)
        TRY(put_operand(b, &in->operands[i]));
    TRY(pack_put(b, in->mem_space) && pack_put(b, in->mem_width) && pack_put(b, in->matrix_count) &&
        pack_put(b, in->const_bank) && pack_put(b, in->const_offset));
    return pack_put(b, in->barrier_id) && pack_put(b, in->barrier_count) &&
           pack_put(b, in->depbar_counter) && pack_put(b, in->depbar_limit) &&
           pack_put(b, in->depbar_mask) && pack_put(b, in->line);
}

/* Registers of the largest file. */
#define REGISTERS_MAX 256

/* Reads a number that must be <= max. */
static bool get_small(const uint8_t **p, const uint8_t *end, uint64_t max, uint64_t *v)
{
    return pack_get(p, end, v) && *v <= max;
}

#define GET(field, max)                                                                            \
    do {                                                                                           \
        uint64_t v_;                                                                               \
        TRY(get_small(p, end, max, &v_));                                                          \
        field = (__typeof__(field))v_;                                                             \
    } while (0)

static bool is_small_file(uint8_t file)
{
    return file != REG_GENERAL && file != REG_UNIFORM;
}

static bool get_operand(const uint8_t **p, const uint8_t *end, struct operand *o)
{
    uint64_t slot;
    GET(o->file, REG_FILE_COUNT - 1);
    GET(o->role, OPERAND_ROLE_COUNT - 1);
    GET(o->index, 255);
    GET(o->count, 64);
    if (o->index + o->count > REGISTERS_MAX || (is_small_file(o->file) && o->index > 15))
        return false;
    TRY(get_small(p, end, 511, &slot));
    o->slot = (uint8_t)(slot >> 1);
    o->reuse = slot & 1;
    return true;
}

static bool class_by_name(const char *name, uint8_t *out)
{
    for (uint32_t c = 0; name && c < OP_CLASS_COUNT; c++) {
        if (strcmp(op_class_name((enum op_class)c), name) == 0) {
            *out = (uint8_t)c;
            return true;
        }
    }
    return false;
}

bool native_get_inst(const uint8_t **p, const uint8_t *end, struct inst *in, struct arena *arena)
{
    const char *class_name;
    memset(in, 0, sizeof *in);
    GET(in->pc, UINT32_MAX);
    TRY(native_get_string(p, end, arena, &in->opcode) && in->opcode);
    TRY(native_get_string(p, end, arena, &in->text));
    TRY(native_get_string(p, end, arena, &class_name) && class_by_name(class_name, &in->op_class));
    GET(in->flags, UINT32_MAX);
    GET(in->guard_file, REG_FILE_COUNT - 1);
    GET(in->guard, 7);
    GET(in->guard_negate, 1);
    GET(in->ctrl.stall, 15);
    GET(in->ctrl.yield, 1);
    GET(in->ctrl.write_bar, 7);
    GET(in->ctrl.read_bar, 7);
    GET(in->ctrl.wait_mask, 63);
    GET(in->operand_count, INST_MAX_OPERANDS);
    for (uint32_t i = 0; i < in->operand_count; i++)
        TRY(get_operand(p, end, &in->operands[i]));
    GET(in->mem_space, MEM_TEXTURE);
    GET(in->mem_width, 255);
    GET(in->matrix_count, 16);
    GET(in->const_bank, 255);
    GET(in->const_offset, UINT32_MAX);
    GET(in->barrier_id, 255);
    GET(in->barrier_count, 65535);
    GET(in->depbar_counter, 255);
    GET(in->depbar_limit, 255);
    GET(in->depbar_mask, 255);
    GET(in->line, UINT32_MAX);
    in->opcode_id = opcode_find(in->opcode, strcspn(in->opcode, "."));
    return true;
}
