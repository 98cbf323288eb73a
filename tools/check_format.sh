#!/bin/sh
# Fails when a committed C file is not as .clang-format wants it, or a text file lacks its final newline.
# usage: tools/check_format.sh
set -eu
cd "$(dirname "$0")/.."

git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

bad=0
# Fuzz inputs are what they are.
for file in $(git ls-files ':!tests/fuzz/corpus'); do
    if [ -s "$file" ] && [ "$(tail -c 1 "$file" | wc -l)" -eq 0 ] && grep -Iq . "$file"; then
        echo "$file: no newline at its end"
        bad=1
    fi
done
exit $bad
