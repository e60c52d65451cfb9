//! Joins two assemblies that gcc, g++ or gfortran made of one source: the *plain* one, and the *instrumented* one, with the calls of
//! `-fsanitize=thread`. What comes out are again two, to be assembled and put into one object by `ld -r`:
//!
//! * the plain one, whose functions look at a word at their entry and go on in themselves or in their *twin*;
//! * the instrumented one without its data, which is the plain one's, and with its functions under other names. Its hooks are countdowns of the
//!   sites' own, with a call when they run out. What it calls and whose address it takes are the ordinary functions, which decide again.
//!
//! | module | is |
//! |---|---|
//! | [`text`] | lines and words of assembly |
//! | [`unit`] | what an assembly defines |
//! | [`statics`] | which variable of the source a symbol is: numbers that the compiler gave to names differ from one compilation to the next |
//! | [`fit`] | what goes with what, or why the two cannot be joined with certainty |
//! | [`plain`], [`twin`] | what comes out |
//! | [`tables`] | the tables of `instrument/hooks.h` |
//!
//! # Why the two go together
//!
//! Both were compiled from the same source, with the same macros and the same layout of data, so each function does the same in both, up to what may
//! be seen of it between two calls. What the compiler knows of a function and its callers rely on beyond the calling convention must not be: the two
//! are to be compiled with [`FLAGS`]. Statics are defined once, by the plain assembly; constants that the compiler made up may be there twice.
//!
//! Atomic instructions are observed whatever is chosen. In plain code they cannot all be told from loads and stores, so functions that have some,
//! or lines of others that do, say so in their tables, and run instrumented as long as anybody listens.

mod fit;
mod plain;
mod statics;
mod tables;
mod text;
mod twin;
mod unit;

pub use fit::Unfit;

/// How both are to be compiled. No caller may know more of a function than its declaration says (registers that it leaves alone, a stack that it does
/// not need aligned); functions keep their names and are not made anew for some callers; what is called at one place only, in a loop maybe, stays a
/// function, to be decided upon each time; who called whom can be found by unwinding; and the debug
/// information is annotated.
pub const FLAGS: [&str; 9] = [
    "-fno-ipa-ra",
    "-fno-ipa-stack-alignment",
    "-fno-ipa-icf",
    "-fno-ipa-cp",
    "-fno-ipa-sra",
    "-fno-partial-inlining",
    "-fno-inline-functions-called-once",
    "-fasynchronous-unwind-tables",
    "-dA",
];

/// And for the plain one, if it [`jumps_away`]: calls at the end of a function are calls.
pub const CALLS_RETURN: &str = "-fno-optimize-sibling-calls";

/// Whether functions end in jumps to functions of others: those would not know where they were called. (In the instrumented assembly the sanitizer's own last
/// call keeps others from being the last one.)
pub fn jumps_away(plain: &str) -> Result<bool, Unfit> {
    Ok(unit::Unit::parse(plain)?.jumps_away())
}

/// Both, joined.
#[derive(Debug)]
pub struct Joined {
    /// To be assembled and put first.
    pub plain: String,
    /// To be assembled and put second.
    pub twin: String,
    /// Functions that are there twice.
    pub functions: usize,
    /// Their sites.
    pub sites: usize,
}

/// Joins them. `deeper` is the plain one as it was before it was compiled with [`CALLS_RETURN`], if it was. `source` is the same in each build of the file, and `unique` in no other object of a program.
pub fn join(
    plain: &str,
    deeper: Option<&str>,
    instrumented: &str,
    source: &str,
    unique: &str,
) -> Result<Joined, Unfit> {
    let (plain, instrumented) = (unit::Unit::parse(plain)?, unit::Unit::parse(instrumented)?);
    if let Some(before) = deeper {
        plain.recurses_no_more_than(&unit::Unit::parse(before)?)?;
    }
    let fit = fit::Fit::new(&plain, &instrumented, unique)?;
    let (twin, sites) = twin::write(&instrumented, &fit, source);
    Ok(Joined { plain: plain::write(&plain, &fit), twin, functions: fit.twins.len(), sites })
}
