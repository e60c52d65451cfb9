#!/bin/sh
# The detector's share of the time of a program with some 10,000 barriers a second, on Slurm: the same binary with and without it, alternately, 2 nodes
# with one rank each. Prints microseconds for each step, with its barrier.
# usage: slurm/cluster.sh run slurm/barriers/run.sh [THRILLE]     (the object is compiled without instrumentation, and linked with `thrille cc`)
set -eu
thrille=${1:-thrille}
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl_tcp_if_include=lo UCX_NET_DEVICES=lo OMPI_MCA_osc=ucx,sm OMPI_MCA_memory=^patcher
for mpi in openmpi mpich; do
    [ $mpi = openmpi ] && plugin=pmix || plugin=pmi2
    "mpicc.$mpi" -O2 -c "$here/barriers.c" -o "$dir/$mpi.o"
    "$thrille" cc -- "mpicc.$mpi" "$dir/$mpi.o" -o "$dir/$mpi"
    for repetition in 1 2 3 4 5; do
        echo "$mpi native $(srun -N2 -n2 --mpi=$plugin "$dir/$mpi")"
        echo "$mpi thrille $(srun -N2 -n2 --mpi=$plugin "$thrille" exec --out "$dir/run-$mpi-$repetition" "$dir/$mpi" 2>"$dir/report")"
        grep -E "phases|analysis" "$dir/report" | sed 's/^ */#   /'
    done
done
