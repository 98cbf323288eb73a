#!/usr/bin/env bash
# Makes the Debian package of a build, unpacks it into an empty root and runs the program there;
# every library it needs must be in a package that it depends on.
# usage: check_package.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
    printf 'check_package: %s\n' "$*" >&2
    exit 1
}

(cd "$build" && cpack -G DEB -B "$root/made" >"$root/log" 2>&1) || fail "$(cat "$root/log")"
package=$(ls "$root"/made/subcore_*.deb) || fail "no package"
dpkg-deb -x "$package" "$root/root"
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libyaml-0-2 zlib1g liblzma5 libzstd1; do
    case $depends in
    *"$library"*) ;;
    *) fail "the package does not depend on $library: $depends" ;;
    esac
done
unset SUBCORE_CONFIGS
cd "$root"
"root/usr/bin/subcore" config list | grep -qx h200 || fail "the packaged program knows no h200"
"root/usr/bin/subcore" run "$source/traces/micro/g1_1subcores.sass" >"$root/table"
grep -q '^Kernel 1:' "$root/table" || fail "no table: $(cat "$root/table")"
[ -s root/usr/share/man/man1/subcore-run.1 ] || fail "no man page"
echo ok
