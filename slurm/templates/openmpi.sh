# Open MPI finds its ranks by PMIx. The component for one-sided operations that version 4 chooses itself, `rdma`, crashes in compare-and-swap of
# eight bytes on the own rank.
launcher=(srun --mpi=pmix --kill-on-bad-exit=1)
export OMPI_MCA_osc="${OMPI_MCA_osc:-ucx,sm}"
