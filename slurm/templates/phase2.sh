#!/bin/bash
# Phase 2: runs the program again, under control, to confirm the races that phase 1 predicted. Written by `thrille sbatch`.
#SBATCH --job-name=@NAME@-confirm
#SBATCH --nodes=@NODES@
#SBATCH --ntasks=@RANKS@
#SBATCH --output=@DIR@/phase2.out
#SBATCH --open-mode=append
@OPTIONS@
here=@HERE@
dir=@DIR@
thrille=@THRILLE@

# How ranks are started: `launcher`, and what the MPI library wants to be told.
@LAUNCHER@

cd "$here" || exit 2
@CONFIG@

"$thrille" report "$dir/run" >/dev/null
if [ $? != 1 ]; then
    echo "thrille: no race was predicted, there is nothing to confirm"
    exit 0
fi
# The ranks are started by Slurm, and reach the coordinator at this node's address.
export THRILLE_LAUNCHER="${launcher[*]}"
THRILLE_ADDRESS=$(scontrol show node "$SLURMD_NODENAME" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
export THRILLE_ADDRESS
"$thrille" confirm "$dir/run"
found=$?
"$thrille" report "$dir/run" >"$dir/report.txt"
"$thrille" report --json "$dir/run" >"$dir/report.json"
echo "thrille: the report is in $dir/report.txt"
# 1 says that there are races, which is no failure of this job.
[ "$found" = 1 ] || exit "$found"
