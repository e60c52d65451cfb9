#!/bin/sh
# What each static optimisation is worth to --tasks stint, in instructions, which a loaded machine does not change: a line for each of the seven programs and each
# part of the plugin that is switched off, of the whole process under callgrind (the detector's own start and end are in it).
# usage: run.sh [THRILLE]
set -eu
thrille=${1:-thrille}
tasks=$(dirname "$0")/../tasks
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_NUM_THREADS=1
# Those of the program itself, and not of what starts it.
counted() {
    rm -f "$dir"/log.*
    valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null --log-file="$dir/log.%p" "$@" >"$dir/said" 2>&1 || cat "$dir/said" >&2
    sed -n 's/.*Collected *: *//p' $(grep -lE "Command: $dir/(plain|followed)" "$dir"/log.*)
}
echo "# $(date -u +%F), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(clang-16 --version | head -n 1), one thread, one run each"
echo "# program, arguments, switched off, instructions"
while read -r program arguments; do
    clang-16 -O2 -g -fopenmp -DPLAIN -o "$dir/plain" "$tasks/$program.c" -lm
    # shellcheck disable=SC2086 # several arguments
    echo "$program $arguments: plain $(counted "$dir/plain" $arguments)"
    for off in nothing no-ranges no-nests no-eliminate no-escape no-constants no-neighbours no-in-place; do
        THRILLE_PLUGIN=$(echo "$off" | sed 's/nothing//') "$thrille" cc -- clang-16 -O2 -g -fopenmp -o "$dir/followed" "$tasks/$program.c" -lm
        # shellcheck disable=SC2086
        echo "$program $arguments: $off $(counted "$thrille" run -n1 --quiet --no-confirm --tasks stint --sampling full --out "$dir/run" "$dir/followed" $arguments)"
    done
done <<END
chol 300 16
fft 14 128
heat 200 200 20 10
mmul 192 48
sort 50000 2048
strassen 128 64
strassen-z 128 64
END
