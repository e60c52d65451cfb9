#!/bin/sh
# The detector's share of the time of a program with some 10,000 barriers a second, on Slurm: the same binary with and without it, alternately, on one rank and on
# 2 nodes with one rank each. Prints microseconds for each step, with its barrier: of the clock, and of rank 0's processor. On a busy machine only the latter, of one
# rank, says something.
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
    for ranks in 1 2; do
        for repetition in 1 2 3; do
            echo "$mpi $ranks native $(srun -N$ranks -n$ranks --mpi=$plugin "$dir/$mpi")"
            run=$dir/run-$mpi-$ranks-$repetition
            echo "$mpi $ranks thrille $(srun -N$ranks -n$ranks --mpi=$plugin "$thrille" exec --out "$run" "$dir/$mpi" 2>"$dir/report")"
            grep -E "phases|analysis" "$dir/report" | sed 's/^ */#   /'
        done
    done
done
