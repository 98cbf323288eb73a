#!/usr/bin/env bash
# Opens a report in headless Chromium: no console message, no request but for the page itself, nothing
# wider than a phone, and it prints. Leaves screenshots in the build folder.
# usage: check_report.sh PROGRAM SOURCE OUT
set -euo pipefail
program=$1 source=$2 out=$3
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
for tool in "$browser" gnuplot; do
    command -v "$tool" >/dev/null || { echo "skipped: no chromium or no gnuplot"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    printf 'check_report: %s\n' "$*" >&2
    exit 1
}

# Results as the program writes them today.
export SUBCORE_CONFIGS=$source/configs
kernels=$source/traces/kernels
"$program" run "$kernels/vecadd.sct" "$kernels/spmv_csr.sct" -q -o "$folder/run.json"
"$program" validate "$source/configs/suites/golden.yaml" --part "G6 dependence counters" -q \
    -o "$folder/validate.json"
cat >"$folder/study.yaml" <<END
cards: [rtx_a6000]
inputs: [$kernels/vecadd.sct, $kernels/saxpy4.sct]
axes:
  - grid: {icache.stream_buffer_lines: [off, 4, 16]}
base: {icache.stream_buffer_lines: off}
END
"$program" sweep "$folder/study.yaml" -q -o "$folder/study"
"$program" report "$folder/run.json" "$folder/validate.json" "$folder/study/results.csv" \
    -o "$folder/report.html" -q
# 4 charts of the run, 2 of the validation, 1 of the sweep; each in two widths.
[ "$(grep -c '</svg>' "$folder/report.html")" -eq 14 ] ||
    fail "found $(grep -c '</svg>' "$folder/report.html") drawings"

# Runs the browser; what it says goes to $folder/log.
browse() {
    HOME=$folder timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --disable-background-networking --disable-component-update --disable-sync --no-first-run \
        --host-resolver-rules="MAP * ~NOTFOUND" --disable-dev-shm-usage --allow-file-access-from-files --user-data-dir="$folder/profile" \
        --enable-logging=stderr --v=0 "$@" >"$folder/dom" 2>"$folder/log" || fail "$(tail -3 "$folder/log")"
}

# Requests of a page; those of the browser itself have no origin.
requests() {
    grep '"url":"\(https\?\|wss\?\|ftp\)://' "$1" | grep '"initiator":' |
        grep -v '"initiator":"not an origin"' | grep -o '"url":"[^"]*'
}

# The check finds what it looks for.
echo '<!DOCTYPE html><img src="http://subcore.invalid/x.png"><script>console.log("told")</script>' \
    >"$folder/bad.html"
browse --log-net-log="$folder/net.json" --dump-dom "file://$folder/bad.html"
requests "$folder/net.json" | grep -q subcore.invalid || fail "a request was not noticed"
grep -q 'CONSOLE.*told' "$folder/log" || fail "a console message was not noticed"

browse --window-size=1200,4000 --screenshot="$out/report-wide.png" \
    --log-net-log="$folder/net.json" "file://$folder/report.html"
[ -s "$out/report-wide.png" ] || fail "no screenshot"
if grep -q CONSOLE "$folder/log"; then fail "console: $(grep CONSOLE "$folder/log")"; fi
if requests "$folder/net.json" >"$folder/requests"; then
    fail "requests: $(cat "$folder/requests")"
fi

# As wide as a phone, in a frame; the copy tells how wide it became.
sed 's|</body>|<script>console.log("WIDTH " + document.documentElement.scrollWidth + " of " + innerWidth)</script></body>|' \
    "$folder/report.html" >"$folder/copy.html"
echo '<body style="margin:0"><iframe src="copy.html" style="width:390px;height:4000px;border:0"></iframe>' \
    >"$folder/phone.html"
browse --window-size=600,4000 --screenshot="$out/report-phone.png" "file://$folder/phone.html"
grep -q 'WIDTH 390 of 390' "$folder/log" ||
    fail "at the width of a phone: $(grep -o 'WIDTH[^"]*' "$folder/log" || echo 'nothing was told')"

browse --print-to-pdf="$folder/report.pdf" "file://$folder/report.html"
[ "$(head -c 5 "$folder/report.pdf")" = "%PDF-" ] || fail "it does not print"
echo ok
