//! `thrille check`: builds what a person would have built, then runs it.

use crate::cc::{self, Argv, Family, Line, Setting, Wanted};
use crate::config::Usual;
use crate::confirm;
use crate::home::Home;
use crate::mpi::{Mpi, Shmem};
use crate::output::Code;
use crate::run::{self, Settings};
use crate::rundir::RunDir;
use crate::scan::{Needs, scan};
use crate::{args, split};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    C,
    Cxx,
    Fortran,
    Linkable,
}

/// How to build, as a person would say it: the compilers and the flags.
#[derive(Debug)]
struct Guess {
    compilers: Compilers,
    flags: Argv,
    libraries: Argv,
}

/// One for each language, with the flags that belong to it.
#[derive(Debug)]
struct Compilers {
    c: Argv,
    cxx: Argv,
    fortran: Argv,
}

impl Compilers {
    fn of(&self, kind: Kind) -> &Argv {
        match kind {
            Kind::C | Kind::Linkable => &self.c,
            Kind::Cxx => &self.cxx,
            Kind::Fortran => &self.fortran,
        }
    }

    /// The user's own, for whatever there is.
    fn all(command: Argv) -> Self {
        Self { c: command.clone(), cxx: command.clone(), fortran: command }
    }

    /// The same with the compilers of an OpenSHMEM library, which take the flags that the others were named with.
    fn with_shmem(mut self, shmem: Shmem) -> Result<Self> {
        if shmem == Shmem::Oshmem {
            for (command, own) in [&mut self.c, &mut self.cxx].into_iter().zip(Shmem::COMPILERS) {
                if crate::program::find(own.as_ref()).is_err() {
                    bail!(
                        "{own} is not in PATH: install Open MPI with its OpenSHMEM library (Debian: apt install libopenmpi-dev)"
                    );
                }
                command[0] = own.into();
            }
        }
        Ok(self.on(shmem))
    }

    /// The same for the embedded library, if that is meant, where a wrapper for another one was named.
    fn on(self, shmem: Shmem) -> Self {
        let on = |command: &Argv| {
            let (compiler, flags) = command.split_at(1);
            cc::on(shmem, compiler).into_iter().chain(flags.iter().cloned()).collect()
        };
        Self { c: on(&self.c), cxx: on(&self.cxx), fortran: on(&self.fortran) }
    }

    /// The same with the compilers of an MPI, which take the flags that the others were named with.
    fn with_mpi(mut self, mpi: Mpi) -> Self {
        let own = mpi.compilers();
        for (command, own) in [&mut self.c, &mut self.cxx, &mut self.fortran].into_iter().zip(own) {
            let name = Path::new(&command[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !crate::mpi::is_compiler(&name) {
                command[0] = own;
            }
        }
        self
    }
}

/// The subcommand.
pub fn check(typed: args::Check) -> Result<Code> {
    let mut settings = Settings::new(&typed.common, Usual::Full)?;
    settings.confirm = confirm::Settings::after_check(&typed.common);
    let kinds = typed.files.iter().map(|file| kind(file)).collect::<Result<Vec<_>>>()?;
    let files: Vec<(PathBuf, Kind)> = typed.files.into_iter().zip(kinds).collect();
    let libraries = (typed.common.mpi, Shmem::chosen(typed.shmem)?);
    let guess = Guess::new(&files, typed.cc.as_deref(), libraries, &|name| std::env::var(name).ok())?;
    let (compiler, flags) = guess.compilers.of(main_kind(&files)).split_at(1);
    let home = cc::home_for(compiler, &cc::Line::parse(flags))?;
    let dir = RunDir::make(typed.common.out.as_deref())?;
    let program = match build(&files, &guess, &home, (typed.instrument, settings.observes_everything()), dir.path()) {
        Ok(Some(program)) => program,
        Ok(None) => {
            // The compiler has said why.
            dir.discard();
            return Ok(Code::Usage);
        }
        Err(error) => {
            dir.discard();
            return Err(error);
        }
    };
    if !typed.keep {
        // Of no use to the report; if they stay, no harm is done.
        let _ = std::fs::remove_dir_all(dir.path().join("obj"));
    }
    let command = std::iter::once(program.into()).chain(typed.args).collect();
    run::start(&settings, dir, command)
}

fn kind(file: &Path) -> Result<Kind> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let kind = match extension.as_str() {
        "c" => Kind::C,
        "cc" | "cpp" | "cxx" | "C" | "c++" | "cp" | "CPP" => Kind::Cxx,
        "o" | "a" | "so" => Kind::Linkable,
        _ if name.contains(".so.") => Kind::Linkable,
        fortran if cc::FORTRAN.contains(&fortran) => Kind::Fortran,
        _ => {
            bail!("{name}: not a C, C++ or Fortran source (.c .cc .cpp .cxx .f .f90), object (.o) or library (.a .so)")
        }
    };
    if !file.is_file() {
        bail!("{} was not found: check the path", file.display());
    }
    Ok(kind)
}

impl Guess {
    fn new(
        files: &[(PathBuf, Kind)],
        cc: Option<&str>,
        (mpi, shmem): (Mpi, Shmem),
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let words = |text: &str| split::words(text).into_iter().map(OsString::from).collect::<Argv>();
        let compilers = match cc.map(words) {
            Some(given) if given.is_empty() => {
                bail!("--cc is empty: give a compiler and its flags, for example --cc \"gcc -O2\"")
            }
            Some(given) => Compilers::all(given),
            None => {
                let named = |name: &str, usual: &str| {
                    let named = env(name).map(|text| words(&text)).filter(|words| !words.is_empty());
                    named.unwrap_or_else(|| vec![usual.into()])
                };
                Compilers { c: named("CC", "gcc"), cxx: named("CXX", "g++"), fortran: named("FC", "gfortran") }
            }
        };
        let main = main_kind(files);
        let needs = needs(files, compilers.of(main))?;
        let compilers = match cc {
            None if needs.mpi => compilers.with_mpi(mpi),
            None if needs.shmem => compilers.with_shmem(shmem)?,
            _ => compilers.on(shmem),
        };
        let c = compilers.of(main);
        let mut flags = Argv::new();
        let has = |start: &str| c.iter().skip(1).any(|word| word.to_string_lossy().starts_with(start));
        if !has("-g") {
            flags.push("-g".into());
        }
        // The compiler may leave out a load whose value nobody uses, and a person looks for the race on its line all the same. (Said
        // in so many words: compilers of MPI libraries come with -O2.)
        if !has("-O") {
            flags.push("-O0".into());
        }
        if needs.openmp && !has("-fopenmp") {
            flags.push("-fopenmp".into());
        }
        flags.push("-pthread".into());
        let mut libraries = Argv::new();
        if main == Kind::Fortran && files.iter().any(|(_, kind)| *kind == Kind::Cxx) {
            libraries.push("-lstdc++".into());
        }
        libraries.push("-lm".into());
        Ok(Self { compilers, flags, libraries })
    }
}

/// The language whose compiler links: the one with the most of a run-time library.
fn main_kind(files: &[(PathBuf, Kind)]) -> Kind {
    let has = |kind| files.iter().any(|(_, k)| *k == kind);
    [Kind::Fortran, Kind::Cxx].into_iter().find(|kind| has(*kind)).unwrap_or(Kind::C)
}

/// What the sources need.
fn needs(files: &[(PathBuf, Kind)], compiler: &[OsString]) -> Result<Needs> {
    let sources: Vec<PathBuf> =
        files.iter().filter(|(_, kind)| *kind != Kind::Linkable).map(|(file, _)| file.clone()).collect();
    let line = Line::parse(compiler.get(1..).unwrap_or_default());
    let needs = scan(&sources, &line.include_dirs())
        .map_err(|(file, error)| anyhow::anyhow!("cannot read {}: {error}", file.display()))?;
    if needs.mpi && needs.shmem {
        bail!(
            "the program includes both mpi.h and shmem.h: programs that use both are not supported by this version yet"
        );
    }
    Ok(needs)
}

/// Builds the program; none if the compiler does not like it.
fn build(
    files: &[(PathBuf, Kind)],
    guess: &Guess,
    home: &Home,
    (wanted, everything): (Option<Wanted>, bool),
    dir: &Path,
) -> Result<Option<PathBuf>> {
    let (bin, obj) = (dir.join("bin"), dir.join("obj"));
    for made in [&bin, &obj] {
        std::fs::create_dir_all(made).with_context(|| format!("cannot make {}", made.display()))?;
    }
    let program = bin.join(files[0].0.file_stem().unwrap_or_default());
    for (compiler, args) in commands(files, guess, &obj, &program) {
        let family = Family::of(compiler)?;
        // A second copy of each function is of use only if not everything is looked at; the plugin for clang tells more of a loop at once.
        let usual = (everything && family.is_gcc()).then_some(Wanted::Hooks);
        let instrument = cc::instrument(wanted, usual, family);
        let setting = Setting { family, instrument, gcc: cc::for_gcc(family), home, temporary: &obj };
        for step in cc::plan(compiler, &Line::parse(&args), &setting)? {
            if !cc::perform(&step, &obj)?.success() {
                return Ok(None);
            }
        }
    }
    Ok(Some(program))
}

/// The commands a person would type: one for each source, and one to link. Each is a compiler and its arguments.
fn commands<'a>(
    files: &[(PathBuf, Kind)],
    guess: &'a Guess,
    obj: &Path,
    program: &Path,
) -> Vec<(&'a [OsString], Argv)> {
    let mut commands = Vec::new();
    let mut inputs = Argv::new();
    for (index, (file, kind)) in files.iter().enumerate() {
        if *kind == Kind::Linkable {
            inputs.push(file.into());
            continue;
        }
        let (compiler, own) = guess.compilers.of(*kind).split_at(1);
        let object = obj.join(format!("{index}-{}.o", file.file_stem().unwrap_or_default().display()));
        let mut args: Argv = own.iter().chain(&guess.flags).cloned().collect();
        if *kind == Kind::Fortran {
            // Modules, which a person would find in the current directory afterwards. Those of the sources before are looked for in any case.
            let option = if has_old_modules(file) { "-I" } else { "-J" };
            args.extend([option.into(), obj.into()]);
        }
        args.extend(["-c".into(), file.into(), "-o".into(), object.clone().into()]);
        commands.push((compiler, args));
        inputs.push(object.into());
    }
    let (linker, own) = guess.compilers.of(main_kind(files)).split_at(1);
    let mut args: Argv = own.iter().chain(&guess.flags).cloned().collect();
    args.extend(inputs);
    args.extend(["-o".into(), program.into()]);
    args.extend(guess.libraries.iter().cloned());
    commands.push((linker, args));
    commands
}

/// Whether the working directory holds a module file of the name of a module that a source defines. gfortran looks there before `-J`, so that
/// file has to be written anew, as it would be without us.
fn has_old_modules(file: &Path) -> bool {
    let text = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| {
        let line = line.to_ascii_lowercase();
        let mut words = line.split(|c: char| c.is_whitespace() || c == '!' || c == ';').filter(|w| !w.is_empty());
        words.next() == Some("module") && words.next().is_some_and(|name| Path::new(&format!("{name}.mod")).exists())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn built(sources: &[(&str, &str)], cc: Option<&str>, env: &[(&str, &str)]) -> Result<Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for (name, text) in sources {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            let kind = kind(&path)?;
            files.push((path, kind));
        }
        let env = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        let guess = Guess::new(&files, cc, (Mpi::OpenMpi, Shmem::Embedded), &env)?;
        let commands = commands(&files, &guess, Path::new("/o"), Path::new("/p"));
        let text = |(compiler, args): &(&[OsString], Argv)| {
            let words: Vec<String> = compiler.iter().chain(args).map(|w| w.to_string_lossy().into_owned()).collect();
            words.join(" ").replace(&format!("{}/", dir.path().display()), "")
        };
        Ok(commands.iter().map(text).collect())
    }

    #[test]
    fn guesses() {
        let shmem = "#include <shmem.h>\n";
        assert_eq!(
            built(&[("a.c", shmem)], None, &[]).unwrap(),
            ["gcc -g -O0 -pthread -c a.c -o /o/0-a.o", "gcc -g -O0 -pthread /o/0-a.o -o /p -lm"]
        );
        assert_eq!(
            built(&[("a.c", "#pragma omp parallel\n"), ("b.cpp", ""), ("c.o", "")], None, &[("CC", "clang -m64")])
                .unwrap(),
            [
                "clang -m64 -g -O0 -fopenmp -pthread -c a.c -o /o/0-a.o",
                "g++ -g -O0 -fopenmp -pthread -c b.cpp -o /o/1-b.o",
                "g++ -g -O0 -fopenmp -pthread /o/0-a.o /o/1-b.o c.o -o /p -lm"
            ]
        );
        assert_eq!(
            built(&[("a.c", shmem)], Some("tcc -O3 -ggdb '-DX=a b'"), &[("CC", "x")]).unwrap()[0],
            "tcc -O3 -ggdb -DX=a b -pthread -c a.c -o /o/0-a.o"
        );
    }

    #[test]
    fn fortran_links_last() {
        assert_eq!(
            built(&[("a.f90", "program a\nend"), ("b.cpp", "")], None, &[("FC", "gfortran-12")]).unwrap(),
            [
                "gfortran-12 -g -O0 -pthread -J /o -c a.f90 -o /o/0-a.o",
                "g++ -g -O0 -pthread -c b.cpp -o /o/1-b.o",
                "gfortran-12 -g -O0 -pthread /o/0-a.o /o/1-b.o -o /p -lstdc++ -lm"
            ]
        );
        let line = built(&[("a.F90", "use MPI\n!$omp parallel\n")], None, &[]).unwrap().remove(0);
        assert!(line.starts_with("mpifort") && line.contains("-fopenmp"), "{line}");
    }

    #[test]
    fn mistakes_have_their_line() {
        let said = |sources: &[(&str, &str)], cc| built(sources, cc, &[]).unwrap_err().to_string();
        assert!(said(&[("a.c", "#include <mpi.h>\n#include <shmem.h>\n")], None).contains("mpi.h"));
        assert!(said(&[("a.txt", "")], None).contains("not a C, C++ or Fortran source"));
        assert!(said(&[("a.c", "")], Some(" ")).contains("--cc"));
        assert!(kind(Path::new("/no/such.c")).unwrap_err().to_string().contains("not found"));
    }
}
