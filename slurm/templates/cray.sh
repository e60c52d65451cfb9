# UNTESTED: written from the documentation of HPE Cray MPICH and of Slurm; no such machine was at hand.
# Cray MPICH follows MPICH's ABI (load cray-mpich-abi if the program was linked with MPICH). Its ranks find each other by cray_shasta.
launcher=(srun --mpi=cray_shasta --kill-on-bad-exit=1)
# The detector's ranks talk inside the program's own calls, from whatever thread makes them.
export MPICH_MAX_THREAD_SAFETY="${MPICH_MAX_THREAD_SAFETY:-multiple}"
