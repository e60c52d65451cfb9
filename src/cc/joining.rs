//! One source compiled twice and joined: [`thrille_join`] with the compiler, the assembler and the linker around it.
//!
//! What the compiler has to say is said once, by the instrumented compilation, which is also the one that writes what depends on what. Whatever goes wrong
//! behind it ends in the object that hooks alone make.

use super::instrument::Asked;
use super::plan::Argv;
use super::run;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// How to make one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    /// The commands that compile to assembly, and the files that they write.
    pub plain: (Argv, PathBuf),
    pub instrumented: (Argv, PathBuf),
    /// The command that assembles, without its input and output.
    pub assemble: Argv,
    /// The command that makes the object by hooks alone.
    pub hooks: Argv,
    pub object: OsString,
    pub source: String,
    /// Both compilations write other files too, the same ones.
    pub one_by_one: bool,
    pub asked: Asked,
}

impl Joining {
    /// Makes the object. The compiler's word on the source.
    pub fn perform(&self, temporary: Option<&Path>) -> Result<ExitStatus> {
        let plain = (!self.one_by_one).then(|| silently(&self.plain.0).spawn());
        let status = run(&self.instrumented.0, temporary)?;
        let plain = match plain {
            Some(started) => started.and_then(|mut child| child.wait()),
            None if status.success() => silently(&self.plain.0).status(),
            None => return Ok(status),
        };
        if !status.success() {
            return Ok(status);
        }
        let plain = if plain.is_ok_and(|status| status.success()) {
            Ok(())
        } else {
            Err("without instrumentation it does not compile".into())
        };
        let Err(why) = plain.and_then(|()| self.join()) else { return Ok(status) };
        if self.asked == Asked::Yes {
            eprintln!("thrille: {}: {why}: instrumented by hooks, which cost more", self.source);
        }
        match silently(&self.hooks).status() {
            Ok(done) if done.success() => Ok(done),
            // It can say itself what is wrong.
            _ => run(&self.hooks, temporary),
        }
    }

    fn join(&self) -> Result<(), String> {
        let joined = self.texts().map_err(|error| format!("{error:#}"))?;
        let (plain, twin) = joined?;
        let assembled = [&plain, &twin].map(|file| {
            let object = file.with_extension("o");
            let mut argv = self.assemble.clone();
            argv.extend([file.into(), "-o".into(), object.clone().into()]);
            (silently(&argv).spawn(), object)
        });
        let mut objects = Vec::new();
        for (started, object) in assembled {
            let done = started.and_then(|mut child| child.wait());
            if !done.is_ok_and(|status| status.success()) {
                return Err("the assembler does not take both in one".into());
            }
            objects.push(object);
        }
        let mut linker = Command::new("ld");
        linker.arg("-r").args(&objects).arg("-o").arg(&self.object).stdin(Stdio::null()).stderr(Stdio::null());
        if !linker.status().is_ok_and(|status| status.success()) {
            return Err("ld -r does not make one object of both".into());
        }
        for file in objects.iter().chain([&plain, &twin]) {
            // They are in a temporary directory; sooner is better, for the sake of room.
            let _ = std::fs::remove_file(file);
        }
        Ok(())
    }

    /// Both assemblies, joined, in files.
    fn texts(&self) -> Result<Result<(PathBuf, PathBuf), String>> {
        let read =
            |path: &Path| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
        let (mut plain, instrumented) = (read(&self.plain.1)?, read(&self.instrumented.1)?);
        let mut before = None;
        if matches!(thrille_join::jumps_away(&plain), Ok(true)) {
            let mut again = self.plain.0.clone();
            again.push(thrille_join::CALLS_RETURN.into());
            if !silently(&again).status().is_ok_and(|status| status.success()) {
                return Ok(Err(format!("it does not compile with {}", thrille_join::CALLS_RETURN)));
            }
            before = Some(std::mem::replace(&mut plain, read(&self.plain.1)?));
        }
        let unique = self.unique(&plain);
        let joined = match thrille_join::join(&plain, before.as_deref(), &instrumented, &self.source, &unique) {
            Ok(joined) => joined,
            Err(unfit) => return Ok(Err(unfit.to_string())),
        };
        let write = |path: &Path, text: &str| {
            let path = path.with_extension("joined.s");
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display())).map(|()| path)
        };
        let done = (write(&self.plain.1, &joined.plain)?, write(&self.instrumented.1, &joined.twin)?);
        for file in [&self.plain.1, &self.instrumented.1] {
            let _ = std::fs::remove_file(file);
        }
        Ok(Ok(done))
    }

    /// What no other object of a program has, and the same in each build.
    fn unique(&self, plain: &str) -> String {
        let here = std::env::current_dir().unwrap_or_default().join(&self.object);
        let bytes = here.as_os_str().as_encoded_bytes().iter().chain([0].iter()).chain(plain.as_bytes());
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }
}

fn silently(argv: &[OsString]) -> Command {
    let mut command = Command::new(argv.first().map_or_else(|| OsString::from("cc"), Clone::clone));
    command.args(argv.iter().skip(1)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
