#!/bin/sh
# Fails on what the compiler accepts and the house does not (docs/style.md).
# usage: tools/check_style.sh
set -eu
cd "$(dirname "$0")/.."

bad=0
# forbid MESSAGE PATTERN PATH...: no committed line of these paths may match.
forbid() {
    message=$1
    pattern=$2
    shift 2
    if git grep -nE "$pattern" -- "$@"; then
        echo "  ^ $message"
        bad=1
    fi
}

forbid 'only src/app may end the program' \
    '(^|[^A-Za-z0-9_])(exit|_exit|_Exit|abort|quick_exit)[ ]*\(' 'src/*.c' 'src/*.h' ':!src/app'
forbid 'only src/app may print' \
    '(^|[^A-Za-z0-9_])(printf|puts|putchar|perror)[ ]*\(|[^A-Za-z0-9_](stdout|stderr)[^A-Za-z0-9_]' \
    'src/*.c' 'src/*.h' ':!src/app'
forbid 'the model has no floating point' \
    '(^|[(,;])[ ]*((static|const) )*(float|double)[ ]+[*]?[a-z_]' \
    'src/base/*' 'src/isa/*' 'src/trace/*' 'src/cfg/*' 'src/unit/*' 'src/sm/*' 'src/mem/*'
forbid 'finish it or leave it out' '(^|[^A-Za-z])(TODO|FIXME|XXX|HACK)([^A-Za-z]|$)' '*.c' '*.h' '*.def' 'CMakeLists.txt'
forbid 'a path of one machine' '"/(home|work|root|Users|farm)/' '*.c' '*.h' '*.def' 'CMakeLists.txt' '*.json'
forbid 'a tab' '	' '*.c' '*.h' '*.def' 'CMakeLists.txt'
exit $bad
