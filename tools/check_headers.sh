#!/bin/sh
# Fails when a header does not compile alone: each must include what it uses.
# usage: tools/check_headers.sh
set -eu
cd "$(dirname "$0")/.."

bad=0
for header in $(git ls-files 'src/*.h' 'include/*.h' 'tests/*.h'); do
    printf '#include "%s"\ntypedef int not_empty;\n' "$PWD/$header" |
        ${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -DSUBCORE_SOURCE_DIR='""' -Wall -Wextra \
            -Wpedantic -Werror -Isrc -Iinclude -Itests -fsyntax-only -x c - || {
        echo "$header: does not compile alone"
        bad=1
    }
done
exit $bad
