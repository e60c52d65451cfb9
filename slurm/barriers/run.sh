#!/bin/sh
# The detector's share of the time of a program with some 10,000 barriers a second and accesses to shared memory in between: built plainly and by `thrille cc` (everything is looked
# at), run alternately with the same computation, on 2 and 4 ranks, over both MPIs and the embedded OpenSHMEM. Prints microseconds for each step with its barrier, of the clock and of
# all ranks' processors, and the share, of the least of either; writes the same to slurm/barriers/<date>-<cores>c.txt.
# Where a barrier alone takes longer than 100 us (MPICH spins, with more ranks than cores), there are no 10,000 a second to be measured.
# usage: slurm/barriers/run.sh THRILLE [REPETITIONS [STEPS]]     (THRILLE: target/release/thrille, with its libraries built)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
thrille=$(realpath "$1")
repetitions=${2:-5}
steps=${3:-2000} rounds=5
libraries=$(dirname "$thrille")/../injected
[ -d "$libraries" ] || libraries=$(dirname "$thrille")/../lib/thrille
sources=$here/../../nas-bench/src
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl_tcp_if_include=lo UCX_NET_DEVICES=lo
export OMPI_MCA_memory=^patcher OMPI_MCA_osc=ucx,sm HYDRA_IFACE=lo

# build LIBRARY: $dir/LIBRARY and $dir/LIBRARY-plain.
build() {
    if [ "$1" = shmem ]; then
        set -- "$1" gcc -I"$sources/shmem" -I"$here/../../shmem/include"
        plain="-L$libraries -lthrille_shmem -Wl,-rpath,$libraries"
    else
        set -- "$1" "mpicc.$1" -I"$sources/mpi"
        plain=
    fi
    library=$1
    shift
    # shellcheck disable=SC2086
    "$@" -O2 -g -std=gnu11 "$here/barriers.c" -o "$dir/$library-plain" $plain
    "$thrille" cc -- "$@" -O2 -g -std=gnu11 "$here/barriers.c" -o "$dir/$library"
}

# native LIBRARY RANKS ARGUMENTS...
native() {
    library=$1 ranks=$2
    shift 2
    if [ "$library" = shmem ]; then
        "$thrille" run -q -n "$ranks" --out "$dir/none" "$dir/shmem-plain" "$@" 2>"$dir/said" || [ $? -eq 2 ] || { cat "$dir/said" >&2; exit 1; }
    else
        "mpirun.$library" -n "$ranks" "$dir/$library-plain" "$@"
    fi
}

# observed LIBRARY RANKS ARGUMENTS...
observed() {
    library=$1 ranks=$2
    shift 2
    rm -rf "$dir/run"
    if [ "$library" = shmem ]; then
        "$thrille" run --no-confirm --sampling full -n "$ranks" --out "$dir/run" "$dir/shmem" "$@" 2>"$dir/report"
    else
        "mpirun.$library" -n "$ranks" "$thrille" exec --sampling full --out "$dir/run" "$dir/$library" "$@" 2>"$dir/report"
    fi
}

measure() {
    echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) at the beginning; commit $(git -C "$here" rev-parse --short HEAD)"
    echo "# library ranks what clock processor (us for each step with its barrier; the least of $rounds rounds of $steps)"
    for library in openmpi mpich shmem; do
        [ $library = shmem ] || command -v "mpicc.$library" >/dev/null || continue
        build $library
        for ranks in 2 4; do
            turns=$(native $library $ranks 0)
            if [ "$turns" = 0 ]; then
                echo "# $library $ranks: not measured, a barrier alone takes longer than 100 us"
                continue
            fi
            echo "# $library $ranks: $turns turns of computation in a step"
            for repetition in $(seq "$repetitions"); do
                echo "$library $ranks native $(native $library $ranks "$turns" $steps $rounds)"
                echo "$library $ranks thrille $(observed $library $ranks "$turns" $steps $rounds)"
            done
            grep -E "phases|records|analysis" "$dir/report" | sed 's/^ */#   /'
        done
    done
}

share='
function less(a, b) { return a == "" || b < a ? b : a }
!/^#/ { key = $1 " " $2; keys[key] = 1; clock[key, $3] = less(clock[key, $3], $4); cpu[key, $3] = less(cpu[key, $3], $5) }
END {
    print "# share of the detector in its time, least of either: of the clock, of the processors; barriers a second without it"
    for (key in keys) {
        a = clock[key, "native"]; b = clock[key, "thrille"]; c = cpu[key, "native"]; d = cpu[key, "thrille"]
        printf "share %s %.1f %% %.1f %% %.0f\n", key, 100 * (b - a) / b, 100 * (d - c) / d, 1e6 / a | "sort"
    }
}'
results=$here/$(date +%Y-%m-%d)-$(nproc)c.txt
measure | tee "$results"
awk "$share" "$results" >"$dir/shares"
tee -a "$results" <"$dir/shares"
