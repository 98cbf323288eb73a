/* Configurations and keys as text, for `subcore config` and docs/config.md.
 *
 * Everything is appended to a struct buf; check its `failed` once at the end. */
#ifndef SUBCORE_CFG_SHOW_H
#define SUBCORE_CFG_SHOW_H

#include "cfg/load.h"

/* The resolved configuration as YAML that loads back to the same values; a comment behind every
 * value says where it comes from. */
void config_show(const struct loaded_config *c, struct buf *out);

/* Opens the mappings of `path` that were not open for `before` ("" = none were), and writes the
 * key's own name: "  latency: ". */
void config_open_mappings(const char *before, const char *path, struct buf *out);

/* Every key with type, range, default, meaning and source, as text. */
void config_keys_text(struct buf *out);

/* The same as Markdown: docs/config.md. */
void config_keys_markdown(struct buf *out);

#endif
