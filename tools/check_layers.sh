#!/bin/sh
# Fails on an #include in src/ that points to a layer the includer may not use.
# The layers and what each may use are read from the subcore_layer() lines of CMakeLists.txt, so that
# there is one declaration of them.
# usage: tools/check_layers.sh [ROOT]
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

find src -name '*.c' -o -name '*.h' -o -name '*.def' | LC_ALL=C sort | awk '
function allow(user, used,    other) {
    allowed[user, used] = 1
    for (other in layer)
        if ((used, other) in allowed)
            allowed[user, other] = 1
}
BEGIN {
    while ((getline line < "CMakeLists.txt") > 0) {
        if (line !~ /^subcore_layer\(/)
            continue
        gsub(/^subcore_layer\(|\).*/, "", line)
        n = split(line, word, " ")
        layer[word[1]] = 1
        allow(word[1], word[1])
        for (i = 2; i <= n; i++)
            allow(word[1], word[i])
    }
}
{
    file = $0
    split(file, part, "/")
    user = part[2]
    number = 0
    if (!(user in layer)) {
        printf "%s: folder src/%s is no layer of CMakeLists.txt\n", file, user
        bad = 1
    }
    while ((getline line < file) > 0) {
        number++
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/)
            continue
        sub(/^[^"]*"/, "", line)
        sub(/".*/, "", line)
        used = line
        if (!sub(/\/.*/, "", used)) {
            printf "%s:%d: \"%s\" must be written \"layer/file.h\"\n", file, number, line
            bad = 1
        } else if (used == "subcore") {
            continue # public headers
        } else if (!((user, used) in allowed)) {
            printf "%s:%d: layer %s may not include \"%s\"\n", file, number, user, line
            bad = 1
        }
    }
    close(file)
}
END { exit bad }'
