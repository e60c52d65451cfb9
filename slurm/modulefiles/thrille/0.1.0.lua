-- Lmod: copy to a directory of MODULEPATH as thrille/0.1.0.lua, and say below where `cargo xtask install --prefix DIR` put it.
local root = os.getenv("THRILLE_PREFIX") or pathJoin(os.getenv("HOME"), ".local")

whatis("Name: PGAS-Thrille")
whatis("Version: 0.1.0")
whatis("Description: finds data races in one-sided (OpenSHMEM and MPI) programs")
help([[
thrille check ring.c -n 4                  build, run and report, on one node
make CC="thrille cc -- mpicc"              build an existing program with it
thrille sbatch -N 2 -n 8 ./solver          submit: phase 1 predicts races, phase 2 confirms them
srun -n 64 --mpi=pmix thrille exec ./solver in a batch script of your own
]])

prepend_path("PATH", pathJoin(root, "bin"))
