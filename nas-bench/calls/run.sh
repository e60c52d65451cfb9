#!/bin/sh
# What the detector costs on calls alone: the same object linked plainly and by `thrille cc`, run alternately. Prints nanoseconds: Put+flush, Barrier.
# usage: run.sh [THRILLE]   (the objects are compiled without instrumentation)
set -eu
thrille=${1:-thrille}
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl_tcp_if_include=lo UCX_NET_DEVICES=lo
export OMPI_MCA_memory=^patcher OMPI_MCA_osc=ucx,sm HYDRA_IFACE=lo
for mpi in openmpi mpich; do
    "mpicc.$mpi" -O2 -c "$here/calls.c" -o "$dir/$mpi.o"
    "mpicc.$mpi" "$dir/$mpi.o" -o "$dir/$mpi-plain"
    "$thrille" cc -- "mpicc.$mpi" "$dir/$mpi.o" -o "$dir/$mpi"
    for ranks in 2 4; do
        # MPICH spins: more ranks than cores say nothing about calls.
        [ "$mpi" = mpich ] && [ "$ranks" -gt "$(nproc)" ] && continue
        for repetition in 1 2 3 4 5; do
            echo "$mpi $ranks native $("mpirun.$mpi" -n "$ranks" "$dir/$mpi-plain")"
            echo "$mpi $ranks thrille $("$thrille" run -q -n "$ranks" --out "$dir/run" "$dir/$mpi" 2>"$dir/report")"
        done
    done
done
