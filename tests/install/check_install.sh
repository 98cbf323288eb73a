#!/usr/bin/env bash
# Installs a build into an empty prefix and uses it from there: program, cards, man pages,
# completions, library through pkg-config.
# usage: check_install.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
    printf 'check_install: %s\n' "$*" >&2
    exit 1
}

expect() { # NAME EXPECTED FOUND
    [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

cmake --install "$build" --prefix "$root" >/dev/null
cd "$root"
unset SUBCORE_CONFIGS

# The program, and the cards beside it.
card=$(bin/subcore config show rtx_3090 --format json | grep -m1 -o '"[^"]*share[^"]*yaml' | tr -d '"' || true)
bin/subcore config list | grep -qx rtx_a6000 || fail "the installed program knows no rtx_a6000"
expect "place of the cards" "$root/share/subcore/configs/rtx_3090.yaml" "$(realpath -m "$card")"
listing=$source/traces/micro/g1_1subcores.sass
cycles=$(bin/subcore run "$listing" --format csv --no-host | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") column = i }
    NR == 2 { print $column }')
[ -n "$cycles" ] || fail "no cycles in the CSV"

# Man pages: one a command, and groff has nothing to say against them.
for command in run trace convert inspect validate diff sweep report config; do
    [ -s "share/man/man1/subcore-$command.1" ] || fail "no man page of $command"
done
if command -v groff >/dev/null; then
    for page in share/man/man1/*.1; do
        expect "groff on $page" "" "$(groff -man -Tutf8 -ww -z "$page" 2>&1)"
    done
fi

# Completion for bash: commands, options, words, cards.
. share/bash-completion/completions/subcore
PATH=$root/bin:$PATH
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _subcore
    printf '%s ' "${COMPREPLY[@]}"
}
expect "completion of 'subcore insp'" "inspect " "$(complete_words subcore insp)"
expect "completion of 'subcore run --chec'" "--check-hazards --check-races " \
    "$(complete_words subcore run --chec)"
expect "completion of --format" "text json csv accelsim " "$(complete_words subcore run --format '')"
expect "completion of -c" "rtx_a6000 " "$(complete_words subcore run x -c rtx_a)"
expect "completion of config" "show " "$(complete_words subcore config sh)"
expect "completion of help" "convert config " "$(complete_words subcore help con)"
if command -v zsh >/dev/null; then
    zsh -n share/zsh/vendor-completions/_subcore || fail "zsh cannot read its completion"
fi

# A user's program finds header and library through pkg-config.
library=$(find . -name libsubcore.a)
export PKG_CONFIG_PATH=$root/$(dirname "$library")/pkgconfig
expect "version" "subcore $(pkg-config --modversion subcore)" "$(bin/subcore --version)"
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$source/tests/install/program.c" ${CFLAGS:-} \
    $(pkg-config --cflags --libs subcore) -o program
expect "cycles through the library" "$cycles" \
    "$(./program "$(pkg-config --variable=configdir subcore)/rtx_a6000.yaml" "$listing")"
echo ok
