//! Where instructions come from.

use crate::llvm::*;
use std::mem::MaybeUninit;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// As the debug information has it, with its directory.
    pub file: String,
    /// The function, the inlined one if it is one.
    pub function: String,
    /// From 1; 0 when it is not known.
    pub line: u32,
    /// From 1; 0 when it is not known.
    pub column: u32,
}

impl Source {
    /// Of an instruction, if there is debug information.
    pub fn of(instruction: Value) -> Option<Self> {
        let mut told = MaybeUninit::uninit();
        // SAFETY: filled in when the answer is true.
        let told: ToldSource = unsafe {
            if !thrille_source(instruction, told.as_mut_ptr()) {
                return None;
            }
            told.assume_init()
        };
        let (directory, file) = (text(told.directory), text(told.file));
        let file = if file.starts_with('/') || directory.is_empty() { file } else { format!("{directory}/{file}") };
        Some(Self { file, function: text(told.function), line: told.line, column: told.column })
    }
}

fn text(text: Text) -> String {
    if text.len == 0 {
        return String::new();
    }
    // SAFETY: the compiler's text, which lives as long as the module.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text.at, text.len) }).into_owned()
}
