# A recipe for Spack 1.0 and later (Package API v2): put it into a repository of your own as packages/thrille/package.py, then
#     spack install thrille ^openmpi        or ^mpich
# The repository around it: `spack repo create DIR own && spack repo add DIR/spack_repo/own`.

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Thrille(Package):
    """Finds data races in one-sided (PGAS) programs: OpenSHMEM, MPI-3 RMA, threads and OpenMP inside ranks."""

    homepage = "https://example.org/pgas-thrille"
    git = "https://example.org/pgas-thrille.git"
    license("BSD-3-Clause")

    # There is no release yet. From a checkout: `spack develop --path DIR thrille@main`.
    version("main", branch="main")

    variant("mpi", default=True, description="The library for programs of the MPI that is chosen")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("mpi", when="+mpi")
    # The bindings to MPI are made from its headers.
    depends_on("llvm+clang", type="build", when="+mpi")

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        else:
            # A compiler for no MPI: none is looked for.
            env.set("MPICC", "false")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("xtask", "install", "--prefix", prefix)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_version(self):
        Executable(self.prefix.bin.thrille)("--version")
