#!/bin/sh
# Compiles the kernels, runs them on the GPU of this machine and puts what they gave here.
# usage: measure.sh [FOLDER]      (default: this folder; needs nvcc, cuobjdump, a GPU of sm_90)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
mkdir -p "$to/expected"

nvcc -O3 -std=c++17 -arch=sm_90 -cubin -o "$work/opcodes.sm_90.cubin" opcodes.cu
cuobjdump -sass "$work/opcodes.sm_90.cubin" >"$work/opcodes.sm_90.sass"
nvcc -O1 -o "$work/measure" measure.c -lcuda
"$work/measure" "$work/opcodes.sm_90.cubin" launches.yaml "$work"

gzip -9nc "$work/opcodes.sm_90.cubin" >"$to/opcodes.sm_90.cubin.gz"
gzip -9nc "$work/opcodes.sm_90.sass" >"$to/opcodes.sm_90.sass.gz"
mv "$work/expected.csv" "$to/expected.csv"
for file in "$work"/*.bin; do
    gzip -9nc "$file" >"$to/expected/$(basename "$file").gz"
done
# For README.md.
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
nvcc --version | grep release
