#!/bin/sh
# Fails on files of more than 500 lines and functions of more than 100. Tables (.def) are exempt.
# A function is found by the brace in the first column that opens it, as .clang-format puts it.
# usage: tools/check_size.sh [FILE...]
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- $(git ls-files 'src/*.c' 'src/*.h' 'include/*.h' 'tests/*.c' 'tests/*.h')

awk -v file_max=500 -v function_max=100 '
function end_of_file() {
    if (lines > file_max) {
        printf "%s: %d lines, at most %d\n", name, lines, file_max
        bad = 1
    }
}
FNR == 1 {
    end_of_file()
    name = FILENAME
    start = 0
}
{ lines = FNR }
/^[A-Za-z_].*\(/ && !start { candidate = FNR; title = $0 }
/^\{/ { start = candidate }
/^\}/ {
    if (start && FNR - start + 1 > function_max) {
        printf "%s:%d: function of %d lines, at most %d: %s\n", FILENAME, start, FNR - start + 1,
               function_max, title
        bad = 1
    }
    start = 0
}
END {
    end_of_file()
    exit bad
}' "$@"
