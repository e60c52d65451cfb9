#!/bin/bash
# Phase 1: runs the program once under the detector and predicts its races. Written by `thrille sbatch`; edit it and submit it again at will.
#SBATCH --job-name=@NAME@
#SBATCH --nodes=@NODES@
#SBATCH --ntasks=@RANKS@
#SBATCH --output=@DIR@/phase1.out
#SBATCH --open-mode=append
@OPTIONS@
here=@HERE@
dir=@DIR@
thrille=@THRILLE@
program=(@COMMAND@)

# How ranks are started: `launcher`, and what the MPI library wants to be told.
@LAUNCHER@

cd "$here" || exit 2
@CONFIG@

"${launcher[@]}" --ntasks=@RANKS@ "$thrille" exec --out "$dir/run" --report "$dir/run/seen.txt" @EXEC@ -- "${program[@]}"
status=$?

# Whatever became of the ranks: what they found is on disk.
"$thrille" merge "$dir/run" >"$dir/report.txt" 2>"$dir/merge.err"
found=$?
cat "$dir/report.txt" "$dir/merge.err"
rm -f "$dir/merge.err"
cp "$dir/run/report.json" "$dir/report.json"

# Phase 2 waits for this job to succeed; without a race it has nothing to do.
if [ "$found" != 1 ] && [ -s "$dir/phase2.job" ]; then
    [ "$found" = 0 ] && why="no race was predicted" || why="there is no report of a race"
    echo "thrille: $why, there is nothing to confirm: phase 2 is skipped"
    scancel "$(cat "$dir/phase2.job")"
fi
echo "thrille: the report is in $dir/report.txt"
exit "$status"
