//! What a source file needs, by the headers it includes and the pragmas it has.
//!
//! A person looks at the `#include` lines; so does this: comments are left out, conditions are not evaluated. Headers of the user's
//! own (found beside the file that includes them, or in the include directories given) are looked into as well.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// A SHMEM library.
    pub shmem: bool,
    /// MPI.
    pub mpi: bool,
    /// OpenMP.
    pub openmp: bool,
}

impl Needs {
    /// The statements and directives of Fortran; it has no case.
    fn look_fortran(&mut self, text: &str) {
        for line in text.lines().map(|line| line.trim_start().to_ascii_lowercase()) {
            if ["!$omp", "c$omp", "*$omp"].iter().any(|start| line.starts_with(start)) {
                self.openmp = true;
            }
            let code = line.split('!').next().unwrap_or_default();
            let mut words =
                code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            match words.next() {
                Some("use") => match words.find(|word| !["intrinsic", "non_intrinsic"].contains(word)) {
                    Some("mpi" | "mpi_f08") => self.mpi = true,
                    Some("omp_lib") => self.openmp = true,
                    _ => {}
                },
                Some("include") if code.contains("mpif.h") => self.mpi = true,
                _ => {}
            }
        }
    }
}

/// Looks at the files and what they include; the error is for a file that cannot be read.
pub fn scan(files: &[PathBuf], include: &[PathBuf]) -> Result<Needs, (PathBuf, std::io::Error)> {
    let mut needs = Needs::default();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut left: Vec<PathBuf> = Vec::new();
    for file in files {
        let text = std::fs::read(file).map_err(|error| (file.clone(), error))?;
        seen.insert(file.clone());
        look(&String::from_utf8_lossy(&text), file, include, &mut needs, &mut left);
    }
    while let Some(file) = left.pop() {
        if seen.insert(file.clone())
            && let Ok(text) = std::fs::read(&file)
        {
            look(&String::from_utf8_lossy(&text), &file, include, &mut needs, &mut left);
        }
    }
    Ok(needs)
}

fn look(text: &str, file: &Path, include: &[PathBuf], needs: &mut Needs, left: &mut Vec<PathBuf>) {
    if file.extension().and_then(|e| e.to_str()).is_some_and(|e| crate::cc::FORTRAN.contains(&e)) {
        needs.look_fortran(text);
    }
    for line in without_comments(text).lines() {
        if line.contains("_Pragma") && line.contains("omp ") {
            needs.openmp = true;
        }
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
        if directive.strip_prefix("pragma").is_some_and(|rest| rest.trim_start().starts_with("omp")) {
            needs.openmp = true;
        }
        let Some(name) = directive.strip_prefix("include").and_then(|rest| header(rest.trim())) else { continue };
        match name {
            "shmem.h" | "shmemx.h" | "mpp/shmem.h" | "mpp/shmemx.h" => needs.shmem = true,
            "mpi.h" | "mpif.h" => needs.mpi = true,
            _ => {
                let beside = file.parent().unwrap_or(Path::new("")).to_owned();
                let places = std::iter::once(&beside).chain(include);
                left.extend(places.map(|dir| dir.join(name)).find(|path| path.is_file()));
            }
        }
    }
}

/// The name between quotes or angle brackets.
fn header(text: &str) -> Option<&str> {
    let close = match text.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    text[1..].split_once(close).map(|(name, _)| name.trim())
}

/// The text with comments replaced by a blank; strings stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            out.push(' ');
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else {
            let end = literal(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out + rest
}

/// Where a string or character literal ends; one that does not end in its line is no literal.
fn literal(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    if quote == b'/' {
        return 1;
    }
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return 1,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn fortran_has_its_own_words() {
        let of = |text: &str| {
            let mut needs = Needs::default();
            look(text, Path::new("x.F90"), &[], &mut needs, &mut Vec::new());
            needs
        };
        assert!(of("  USE MPI_F08, only: MPI_Init").mpi);
        assert!(of("use, non_intrinsic :: mpi").mpi);
        assert!(of("      include 'mpif.h'").mpi && of("#include \"mpif.h\"").mpi);
        assert!(of("!$OMP parallel do").openmp && of("use omp_lib").openmp);
        assert_eq!(of("! use mpi\nuse mpi_helpers\nx = use_mpi"), Needs::default());
    }

    fn of(text: &str) -> Needs {
        let mut needs = Needs::default();
        look(text, Path::new("x.c"), &[], &mut needs, &mut Vec::new());
        needs
    }

    #[test]
    fn includes_and_pragmas_count_comments_do_not() {
        assert!(of("#include <shmem.h>").shmem);
        assert!(of("  #  include \"mpp/shmem.h\" // old").shmem);
        assert!(of("#include <mpi.h>\n").mpi);
        assert!(of("#pragma omp parallel for").openmp);
        assert!(of("_Pragma(\"omp parallel\")").openmp);
        assert_eq!(of("// #include <mpi.h>\n/* \n#include <shmem.h>\n#pragma omp x */ int omp;"), Needs::default());
        assert!(of("char *s = \"/*\";\n#include <shmem.h>\nchar t = '\"';").shmem);
        assert_eq!(of("#include <shmem.hpp>\n#include MACRO\n#include"), Needs::default());
        assert!(of("it's // a lonely quote\n#include <mpi.h>").mpi);
    }

    #[test]
    fn local_headers_are_looked_into_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("inc")).unwrap();
        fs::write(path("a.c"), "#include \"a.h\"\n#include <b.h>\n").unwrap();
        fs::write(path("a.h"), "#include \"a.h\"\n#include \"missing.h\"\n#include <shmem.h>\n").unwrap();
        fs::write(path("inc/b.h"), "#pragma omp declare simd\n#include \"../a.c\"\n").unwrap();
        let needs = scan(&[path("a.c")], &[path("inc")]).unwrap();
        assert_eq!(needs, Needs { shmem: true, mpi: false, openmp: true });
        assert_eq!(scan(&[path("no.c")], &[]).unwrap_err().0, path("no.c"));
    }
}
