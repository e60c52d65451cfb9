# MPICH finds its ranks by PMI-2.
launcher=(srun --mpi=pmi2 --kill-on-bad-exit=1)
