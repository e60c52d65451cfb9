# A recipe for Spack: put this directory into a repository as packages/thrille/, then `spack install thrille ^openmpi` or `^mpich`.

from spack.package import *


class Thrille(Package):
    """Finds data races in one-sided (PGAS) programs: OpenSHMEM, MPI-3 RMA, threads and OpenMP inside ranks."""

    homepage = "https://example.org/pgas-thrille"
    license("BSD-3-Clause")

    # There is no release yet: name a checkout, `spack develop thrille@main`.
    version("main", branch="main", git="https://example.org/pgas-thrille.git")

    variant("mpi", default=True, description="The library for programs of the MPI that is chosen")

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("mpi", when="+mpi")
    # The bindings to MPI are made from its headers.
    depends_on("llvm+clang", type="build", when="+mpi")

    def setup_build_environment(self, env):
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("build", "--release", "--package", "thrille")
        cargo("build", "--profile", "injected", "--package", "thrille-preload", "--package", "thrille-shmem")
        mkdirp(prefix.bin, prefix.lib.thrille, prefix.include)
        install("target/release/thrille", prefix.bin)
        for library in ("libthrille.so", "libthrille_shmem.so"):
            install(join_path("target/injected", library), prefix.lib.thrille)
        install_tree("shmem/include", prefix.include.thrille)
        if spec.satisfies("+mpi"):
            name = "openmpi" if spec["mpi"].name == "openmpi" else "mpich"
            cargo(
                "build", "--profile", "injected", "--package", "thrille-preload", "--no-default-features",
                "--features", "mpi", "--target-dir", "target/mpi",
            )
            mkdirp(join_path(prefix.lib.thrille, name))
            install("target/mpi/injected/libthrille.so", join_path(prefix.lib.thrille, name))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_version(self):
        Executable(self.prefix.bin.thrille)("--version")
