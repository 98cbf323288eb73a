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

# Installed by dpkg into a root that has nothing but the libraries of those packages.
if [ "$(id -u)" -eq 0 ]; then
    clean=$root/clean
    mkdir -p "$clean"/var/lib/dpkg/{info,updates} "$clean/tmp"
    touch "$clean/var/lib/dpkg/status"
    dpkg --root="$clean" --force-depends --install "$package" >"$root/log" 2>&1 ||
        fail "$(cat "$root/log")"
    ldd "$clean/usr/bin/subcore" | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "$clean$(dirname "$library")"
        cp -L "$library" "$clean$library"
    done
    mkdir -p "$clean/proc/self" # stands for a mounted /proc
    ln -s /usr/bin/subcore "$clean/proc/self/exe"
    cp "$source/traces/micro/g1_1subcores.sass" "$clean/tmp"
    chroot "$clean" /usr/bin/subcore run /tmp/g1_1subcores.sass >"$root/table" ||
        fail "the program does not run in a clean root"
    grep -q '^Kernel 1:' "$root/table" || fail "no table in a clean root: $(cat "$root/table")"
fi
echo ok
