//! Paths as a repository knows them: services that show reports beside the source want them relative to its root.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::path::{Path, PathBuf};

/// What may not stand in the path of a URI as it is.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The root of the repository that a report's sources are in.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository around a file or directory; without one, the directory `otherwise`.
    pub fn around(path: &Path, otherwise: &Path) -> Self {
        let root = path.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(otherwise);
        Self { root: root.into() }
    }

    /// The root as a URI, with the slash that a base needs.
    pub fn uri(&self) -> String {
        let path = self.root.display().to_string();
        format!("file://{}/", utf8_percent_encode(path.trim_end_matches('/'), ESCAPED))
    }

    /// A file below the root, relative to it.
    pub fn relative(&self, path: &str) -> Option<String> {
        Path::new(path).strip_prefix(&self.root).ok().map(|below| below.display().to_string())
    }
}

/// A path as (part of) a URI.
pub fn escaped(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_the_root_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".git")).unwrap();
        let file = dir.path().join("src/a b.c");
        let repository = Repository::around(&file, Path::new("/"));
        assert_eq!(repository.relative(&file.display().to_string()).as_deref(), Some("src/a b.c"));
        assert_eq!(repository.relative("/usr/include/x.h"), None);
        assert!(repository.uri().starts_with("file:///") && repository.uri().ends_with('/'));
        assert_eq!(escaped("a b#<c>.c"), "a%20b%23%3Cc%3E.c");
    }
}
