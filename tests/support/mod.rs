//! What the test binaries share: where things are, and golden files.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The command under test.
pub const THRILLE: &str = env!("CARGO_BIN_EXE_thrille");

/// The project's directory.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The injected libraries, built if they are not up to date.
pub fn libraries() -> PathBuf {
    let target = Path::new(THRILLE).ancestors().nth(2).expect("target/PROFILE/thrille");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--profile", "injected", "-p", "thrille-preload", "-p", "thrille-shmem"])
        .current_dir(root())
        .env("CARGO_TARGET_DIR", target)
        .status()
        .expect("cannot start cargo");
    assert!(status.success(), "the injected libraries do not build");
    target.join("injected")
}

/// Compares with a file of `tests/golden`, or rewrites it when `THRILLE_BLESS` is set.
pub fn golden(file: &str, text: &str) -> Result<(), String> {
    let path = root().join("tests/golden").join(file);
    if std::env::var_os("THRILLE_BLESS").is_some() {
        return std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()));
    }
    let expected = std::fs::read_to_string(&path)
        .map_err(|e| format!("cannot read {}: {e}; make it with `cargo xtask test --bless`", path.display()))?;
    if expected == text {
        return Ok(());
    }
    let differing = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let line = differing.unwrap_or(expected.lines().count().min(text.lines().count()));
    Err(format!(
        "{} differs from line {} on; accept it with `cargo xtask test --bless`\n--- expected\n{expected}\n--- got\n{text}",
        path.display(),
        line + 1
    ))
}
