//! Lines of source files, and paths as the reader knows them.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Source files, each read once.
#[derive(Debug)]
pub struct Sources {
    base: PathBuf,
    files: HashMap<PathBuf, Option<Vec<String>>>,
}

impl Sources {
    /// Paths below `base` are shown relative to it.
    pub fn new(base: &Path) -> Self {
        Self { base: base.into(), files: HashMap::new() }
    }

    /// A line of a file, counted from 1, if the file is there and has it.
    pub fn line(&mut self, path: &Path, line: u32) -> Option<String> {
        let lines = self.files.entry(path.into()).or_insert_with(|| {
            let bytes = std::fs::read(path).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(|line| line.trim_end().to_owned()).collect())
        });
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.as_ref()?.get(index).cloned()
    }

    /// Where the statement of an atomic or workshare construct begins if this line is the construct's directive, as line and column: gcc
    /// names the directive for what the statement does.
    pub fn statement(&mut self, path: &Path, line: u32) -> Option<(u32, u32)> {
        let directive = self.line(path, line)?;
        if !stands_for_statement(&directive) {
            return None;
        }
        let mut continued = continues(&directive);
        (line + 1..).map_while(|at| Some((at, self.line(path, at)?))).find_map(|(at, text)| {
            let of_directive = continued;
            continued &= continues(&text);
            let begin = text.find(|c: char| !c.is_whitespace() && c != '{')?;
            let comment = ["//", "/*", "!"].iter().any(|mark| text[begin..].starts_with(mark));
            (!of_directive && !comment).then_some((at, begin as u32 + 1))
        })
    }

    /// Whether a procedure or the main program of Fortran begins on this line.
    pub fn begins_procedure(&mut self, path: &Path, line: u32) -> bool {
        self.line(path, line).is_some_and(|text| is_procedure(&text))
    }

    /// Where a statement of Fortran begins that goes on in this line, as line and column: gfortran names the last line of one that is continued.
    pub fn begin(&mut self, path: &Path, line: u32) -> Option<(u32, u32)> {
        let fixed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("f") || e.eq_ignore_ascii_case("for"));
        let mut begin = line;
        let mut text = self.line(path, line)?;
        while let Some((at, before)) = self.code_before(path, begin, fixed) {
            let goes_on = if fixed { continues_fixed(&text) } else { goes_on(&before) };
            if !goes_on {
                break;
            }
            (begin, text) = (at, before);
        }
        let column = text.find(|c: char| !c.is_whitespace())?;
        (begin < line).then_some((begin, column as u32 + 1))
    }

    /// The last line before this one that is neither empty nor a comment.
    fn code_before(&mut self, path: &Path, line: u32, fixed: bool) -> Option<(u32, String)> {
        let is_comment = |text: &str| {
            let trimmed = text.trim_start();
            let by_column = fixed && text.starts_with(['c', 'C', '*', 'd', 'D']);
            trimmed.is_empty()
                || by_column
                || trimmed.starts_with('#')
                || trimmed.starts_with('!') && !trimmed.starts_with("!$ ")
        };
        (1..line).rev().find_map(|at| self.line(path, at).filter(|text| !is_comment(text)).map(|text| (at, text)))
    }

    /// A path without detours, and as it is shown.
    pub fn show(&self, path: &str) -> (PathBuf, String) {
        let path = straight(&self.base.join(path));
        let shown = path.strip_prefix(&self.base).unwrap_or(&path).display().to_string();
        (path, shown)
    }
}

/// Whether a line is the directive of an atomic construct, in C or Fortran, or of a workshare construct, and nothing else.
fn stands_for_statement(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let pragma = line.strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("pragma"));
    let construct = match pragma {
        Some(rest) => rest.trim_start().strip_prefix("omp"),
        None => line.strip_prefix("!$omp"),
    };
    construct.is_some_and(|rest| {
        let mut words = rest.split_whitespace().skip_while(|&word| word == "parallel");
        words.next().is_some_and(|word| word.starts_with("atomic") || word.starts_with("workshare"))
    })
}

/// Whether this is the first statement of a procedure of Fortran: attributes, what it is, and its name.
fn is_procedure(line: &str) -> bool {
    const ATTRIBUTES: [&str; 6] = ["pure", "impure", "elemental", "recursive", "non_recursive", "module"];
    const TYPES: [&str; 8] = ["integer", "real", "double", "complex", "logical", "character", "type", "class"];
    let line = line.to_ascii_lowercase();
    let named = |words: &[&str]| words.get(1).is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let Some(at) = words.iter().position(|word| ["subroutine", "function", "program", "procedure"].contains(word))
    else {
        return false;
    };
    let may_begin = |word: &&str| ATTRIBUTES.contains(word) || TYPES.contains(word);
    !line.trim_start().starts_with('!') && named(&words[at..]) && (at == 0 || may_begin(&words[0]))
}

/// Whether a directive goes on in the next line.
fn continues(line: &str) -> bool {
    line.ends_with(['\\', '&'])
}

/// Whether a statement of Fortran in free form goes on behind this line.
fn goes_on(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("!$ ").unwrap_or(line);
    let mut quote = None;
    let code = line.find(|c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c == '!'
    });
    line[..code.unwrap_or(line.len())].trim_end().ends_with('&')
}

/// Whether this line of fixed form continues the one before: there is something in column 6.
fn continues_fixed(line: &str) -> bool {
    const LABEL: usize = 5;
    let blank = line.bytes().take(LABEL).all(|c| c == b' ');
    blank && line.as_bytes().get(LABEL).is_some_and(|&c| c != b' ' && c != b'0')
}

/// Without `.` and `name/..`, by text alone.
fn straight(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            _ => out.push(part),
        }
    }
    out
}

/// The function whose call stands in a source line: of those that `wanted` accepts the one nearest to the column.
pub fn called(line: &str, column: Option<u32>, wanted: impl Fn(&str) -> bool) -> Option<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(word) {
        let tail = &rest[start..];
        let end = tail.find(|c| !word(c)).unwrap_or(tail.len());
        let name = &tail[..end];
        if tail[end..].trim_start().starts_with('(') && wanted(name) {
            found.push((line.len() - tail.len(), name));
        }
        rest = &tail[end..];
    }
    let column = column.map_or(0, |c| c as usize).saturating_sub(1);
    // The column is that of the name, or of what follows it.
    let distance =
        |&(at, name): &(usize, &str)| if (at..=at + name.len()).contains(&column) { 0 } else { at.abs_diff(column) };
    found.into_iter().min_by_key(distance).map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_go_and_the_base_is_left_out() {
        let sources = Sources::new(Path::new("/home/u"));
        assert_eq!(sources.show("/home/u/./a/../b/ring.c").1, "b/ring.c");
        assert_eq!(sources.show("/usr/include/x.h").1, "/usr/include/x.h");
        assert_eq!(sources.show("x.c").0, Path::new("/home/u/x.c"));
        assert_eq!(sources.show("../../../x.c").1, "/../x.c");
    }

    #[test]
    fn the_statement_of_a_construct_is_found_behind_its_directive() {
        let mut sources = Sources::new(Path::new("/"));
        let mut at = |text: &str| {
            sources.files.insert("a".into(), Some(text.lines().map(str::to_owned).collect()));
            sources.statement(Path::new("a"), 1)
        };
        assert_eq!(at("#pragma omp atomic\n    x++;"), Some((2, 5)));
        assert_eq!(at("  # pragma omp atomic capture \\\n   seq_cst\n\n  // both\n  {\n    k = x++;"), Some((6, 5)));
        assert_eq!(at("  !$omp atomic update &\n  !$omp& seq_cst\n  x = x + 1"), Some((3, 3)));
        assert_eq!(at("!$OMP ATOMIC\nx = x + 1"), Some((2, 1)));
        assert_eq!(at("!$omp parallel workshare\n  x = 1"), Some((2, 3)));
        assert_eq!(at("!$omp parallel\n  x = 1"), None);
        assert_eq!(at("#pragma omp atomic"), None);
        assert_eq!(at("#pragma omp critical\n x++;"), None);
        assert_eq!(at("_Pragma(\"omp atomic\") x++;\ny++;"), None);
    }

    #[test]
    fn a_continued_statement_begins_where_its_first_line_does() {
        let mut sources = Sources::new(Path::new("/"));
        let mut at = |path: &str, text: &str, line| {
            sources.files.insert(path.into(), Some(text.lines().map(str::to_owned).collect()));
            sources.begin(Path::new(path), line)
        };
        let call = "x = 1\n  call put(a, & ! first\n! between\n\n    b, &\n    c)\ny = 2";
        assert_eq!(at("a.f90", call, 6), Some((2, 3)));
        assert_eq!(at("a.f90", call, 5), Some((2, 3)));
        assert_eq!(at("a.f90", call, 2), None);
        assert_eq!(at("a.f90", call, 7), None);
        assert_eq!(at("a.f90", "s = 'no! &' // &\n  'more'", 2), Some((1, 1)));
        assert_eq!(at("a.f90", "s = 'one' ! two &\nt = 1", 2), None);
        assert_eq!(at("a.f90", "!$omp parallel do &\n!$omp private(k)\ndo i = 1, 3", 3), None);
        let fixed = "      call put(a,\nc between\n     &  b,\n     1  c)\n      x = 1";
        assert_eq!(at("a.f", fixed, 4), Some((1, 7)));
        assert_eq!(at("a.F", fixed, 5), None);
        assert_eq!(at("a.f", fixed, 1), None);
    }

    #[test]
    fn procedures_begin_with_what_they_are() {
        for line in [
            "subroutine add(i)",
            "  PROGRAM p",
            "pure real(8) function f(x) result(y)",
            "character(len=4) function g()",
        ] {
            assert!(is_procedure(line), "{line}");
        }
        for line in
            ["end subroutine add", "! subroutine add", "x = function(3)", "call subroutine_of(x)", "end program"]
        {
            assert!(!is_procedure(line), "{line}");
        }
    }

    #[test]
    fn the_nearest_wanted_call_is_named() {
        let shmem = |name: &str| name.starts_with("shmem");
        let line = "  shmem_putmem(&a, &b, shmem_g (c, 1), n);";
        assert_eq!(called(line, Some(3), shmem).as_deref(), Some("shmem_putmem"));
        assert_eq!(called(line, Some(15), shmem).as_deref(), Some("shmem_putmem"));
        assert_eq!(called(line, Some(24), shmem).as_deref(), Some("shmem_g"));
        assert_eq!(called("x = shmem_y + f(1);", None, shmem), None);
    }
}
