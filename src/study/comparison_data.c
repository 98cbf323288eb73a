/* A comparison as JSON and as CSV. */
#include <math.h>

#include "report/csv.h"
#include "report/json_writer.h"
#include "report/number.h"
#include "study/comparison.h"

#define DECIMALS 6

static void pair(struct json *j, double a, double b)
{
    json_decimal(j, "a", a, DECIMALS);
    json_decimal(j, "b", b, DECIMALS);
    json_decimal(j, "change", a != 0 ? (b - a) / fabs(a) : NAN, DECIMALS);
}

static void json_kernel(struct json *j, const char *key, const struct comparison_kernel *k)
{
    json_object(j, key);
    json_string(j, "name", k->label);
    json_object_inline(j, "cycles");
    pair(j, k->cycles[0], k->cycles[1]);
    json_object_end(j);
    json_array(j, "values");
    for (size_t i = 0; i < k->value_count; i++) {
        json_object_inline(j, NULL);
        json_string(j, "name", k->values[i].path);
        pair(j, k->values[i].v[0], k->values[i].v[1]);
        json_object_end(j);
    }
    json_array_end(j);
    if (k->by_pc) {
        json_array(j, "by_pc");
        for (size_t i = 0; i < k->pc_count; i++) {
            json_object_inline(j, NULL);
            json_string(j, "pc", k->pcs[i].pc);
            json_string(j, "sass", k->pcs[i].sass);
            pair(j, k->pcs[i].cycles[0], k->pcs[i].cycles[1]);
            json_object_end(j);
        }
        json_array_end(j);
    }
    json_object_end(j);
}

static void add_key(void *user, const char *key, const char *a, const char *b)
{
    struct json *j = user;
    json_object_inline(j, NULL);
    json_string(j, "key", key);
    json_string(j, "a", a);
    json_string(j, "b", b);
    json_object_end(j);
}

void comparison_json(struct buf *out, const struct comparison *c)
{
    static const char *const only[] = {"only_a", "only_b"};
    struct json j;
    json_init(&j, out);
    json_object(&j, NULL);
    json_string(&j, "a", c->file[0]);
    json_string(&j, "b", c->file[1]);
    json_array(&j, "config");
    comparison_config(c, add_key, &j);
    json_array_end(&j);
    json_array(&j, "kernels");
    for (size_t i = 0; i < c->kernel_count; i++)
        json_kernel(&j, NULL, &c->kernels[i]);
    json_array_end(&j);
    json_kernel(&j, "total", &c->total);
    for (int side = 0; side < 2; side++) {
        json_array(&j, only[side]);
        for (size_t i = 0; i < c->only_count[side]; i++)
            json_string(&j, NULL, c->only[side][i]);
        json_array_end(&j);
    }
    json_object_end(&j);
}

static void csv_number_cell(struct buf *out, double v)
{
    char text[NUMBER_SIZE] = "";
    if (isfinite(v))
        number_decimal(text, v, DECIMALS);
    buf_printf(out, ",%s", text);
}

static void csv_kernel(struct buf *out, const struct comparison_kernel *k)
{
    for (size_t i = 0; i < k->value_count; i++) {
        double a = k->values[i].v[0], b = k->values[i].v[1];
        csv_plain(out, k->label);
        buf_printf(out, ",%s", k->values[i].path);
        csv_number_cell(out, a);
        csv_number_cell(out, b);
        csv_number_cell(out, a != 0 ? (b - a) / fabs(a) : NAN);
        buf_puts(out, "\n");
    }
}

void comparison_csv(struct buf *out, const struct comparison *c)
{
    buf_puts(out, "kernel,name,a,b,change\n");
    for (size_t i = 0; i < c->kernel_count; i++)
        csv_kernel(out, &c->kernels[i]);
    csv_kernel(out, &c->total);
}
