# Shared by the scripts in tools/ and .ci/run: sourced, never run.
# Sets ROOT (top of the checkout) and JOBS (processors to build with).

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}

say() {
    printf '\n== %s\n' "$*"
}

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        die "cannot run '$*': neither root nor sudo; run it yourself and start again"
    fi
}

# What a package is looked for by, so that other distributions and local installs do as well.
package_present() {
    case "$1" in
    gcc) command -v gcc >/dev/null && echo 'int main(void){return 0;}' |
        gcc -x c - -o /dev/null 2>/dev/null ;;
    make | cmake | clang | clang-format | clang-tidy) command -v "$1" >/dev/null ;;
    pkg-config) command -v pkg-config >/dev/null ;;
    libyaml-dev) pkg-config --exists yaml-0.1 2>/dev/null ;;
    zlib1g-dev) pkg-config --exists zlib 2>/dev/null ;;
    liblzma-dev) pkg-config --exists liblzma 2>/dev/null ;;
    libzstd-dev) pkg-config --exists libzstd 2>/dev/null ;;
    libcmocka-dev) pkg-config --exists cmocka 2>/dev/null ;;
    libc6-dev) echo '#include <stdio.h>' | gcc -x c -E - >/dev/null 2>&1 ;;
    *) dpkg -s "$1" >/dev/null 2>&1 ;;
    esac
}

# Installs the named Debian packages that are missing; says which, and how to get them by hand.
need_packages() {
    local missing=() package
    for package in "$@"; do
        package_present "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    command -v apt-get >/dev/null 2>&1 ||
        die "missing: ${missing[*]} (Debian names); no apt-get here, install their equivalents"
    say "installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get update -qq </dev/null || die "apt-get update failed; missing: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" </dev/null >/dev/null || die "apt-get could not install: ${missing[*]}"
}

BUILD_PACKAGES=(gcc libc6-dev make cmake pkg-config libyaml-dev zlib1g-dev liblzma-dev libzstd-dev)
TEST_PACKAGES=("${BUILD_PACKAGES[@]}" libcmocka-dev)

# Configures and builds a preset: build_preset NAME [TARGET...]. Output only when it fails.
build_preset() {
    local preset=$1 log status=0
    shift
    local targets=()
    [ $# -gt 0 ] && targets=(--target "$@")
    log=$(mktemp)
    {
        (cd "$ROOT" && cmake --preset "$preset") &&
            cmake --build "$ROOT/build/$preset" -j "$JOBS" "${targets[@]}"
    } </dev/null >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        grep -v -E "^\[ *[0-9]+%\]" "$log" | tail -n 80 >&2
        rm -f "$log"
        die "the build of preset '$preset' failed"
    fi
    rm -f "$log"
}

# Runs the quick tests of a preset, under a prefix command if given.
test_preset() {
    local preset=$1
    shift
    (cd "$ROOT" && "$@" ctest --preset "$preset" -j "$JOBS") </dev/null
}
