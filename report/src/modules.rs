//! Return addresses to source locations, by the debug information of the loaded files.
//!
//! A [`Site`] is a return address: the instruction before it is the one in question, so `offset - 1` is looked up.

use crate::records::Module;
use crate::shape::Frame;
use crate::source::Sources;
use crate::statics::Statics;
use crate::symbols;
use crate::words::{demangled, fortran};
use addr2line::{Loader, gimli};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use thrille_model::Site;

/// The loaded files of a run; each is opened at its first use.
pub struct Modules {
    known: HashMap<u64, Module>,
    open: HashMap<u64, Option<Loader>>,
    found: HashMap<Site, Rc<[Frame]>>,
    statics: HashMap<u64, Statics>,
    sources: Sources,
    directories: Vec<PathBuf>,
    /// What could not be opened, and why.
    pub notes: Vec<String>,
}

impl Modules {
    /// Nothing is opened yet; symbols may also be in these directories.
    pub fn new(known: HashMap<u64, Module>, base: &Path, directories: Vec<PathBuf>) -> Self {
        let (open, found, statics) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { known, open, found, statics, sources: Sources::new(base), directories, notes: Vec::new() }
    }

    /// Known places without any file behind them.
    #[cfg(test)]
    pub fn made_up(found: HashMap<Site, Vec<Frame>>) -> Self {
        let found = found.into_iter().map(|(site, frames)| (site, frames.into())).collect();
        Self { found, ..Self::new(HashMap::new(), Path::new("/"), Vec::new()) }
    }

    /// The variables of a file.
    pub fn statics(&mut self, module: u64) -> &Statics {
        let Self { known, statics, directories, .. } = self;
        statics.entry(module).or_insert_with(|| {
            let path = known.get(&module).and_then(|module| symbols::locate(module, directories).ok());
            path.and_then(|path| Statics::of(&path)).unwrap_or_default()
        })
    }

    /// The source files.
    pub fn sources(&mut self) -> &mut Sources {
        &mut self.sources
    }

    /// The frames at a site, innermost first, never none: all but the last one are inlined into the next.
    pub fn frames(&mut self, site: Site) -> Rc<[Frame]> {
        let site = site.instruction();
        if let Some(frames) = self.found.get(&site) {
            return Rc::clone(frames);
        }
        let frames: Rc<[Frame]> = self.look_up(site).into();
        self.found.insert(site, Rc::clone(&frames));
        frames
    }

    fn look_up(&mut self, site: Site) -> Vec<Frame> {
        let bare = Frame { module: self.name(site.module), offset: site.offset, ..Frame::default() };
        self.open(site.module);
        let Some(Some(loader)) = self.open.get(&site.module) else { return vec![bare] };
        let probe = site.offset.saturating_sub(1);
        let mut frames = Vec::new();
        let mut trouble = None;
        match loader.find_frames(probe) {
            Ok(mut found) => loop {
                let frame = match found.next() {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break,
                    Err(error) => {
                        trouble = Some(error.to_string());
                        break;
                    }
                };
                let mut new = bare.clone();
                let innermost = frames.is_empty();
                let in_fortran = frame.function.as_ref().is_some_and(is_fortran);
                new.function = frame.function.and_then(|function| readable(&function));
                if let Some(location) = frame.location {
                    new.line = location.line.filter(|&line| line > 0);
                    new.column = location.column.filter(|&column| column > 0);
                    if let Some(file) = location.file {
                        let (path, shown) = self.sources.show(file);
                        if innermost
                            && in_fortran
                            && let Some(line) = new.line.filter(|&line| self.sources.begins_procedure(&path, line))
                            && let Some(next) = next_line(loader, probe, line)
                        {
                            (new.line, new.column) = next;
                        }
                        if let Some((line, column)) = new.line.and_then(|line| self.sources.statement(&path, line)) {
                            (new.line, new.column) = (Some(line), Some(column));
                        }
                        if in_fortran && let Some(begin) = new.line.and_then(|line| self.sources.begin(&path, line)) {
                            (new.line, new.column) = (Some(begin.0), Some(begin.1));
                        }
                        new.source = new.line.and_then(|line| self.sources.line(&path, line));
                        new.path = Some(path.display().to_string());
                        new.file = Some(shown);
                    }
                }
                frames.push(new);
            },
            Err(error) => trouble = Some(error.to_string()),
        }
        if frames.is_empty() {
            frames.push(bare);
        }
        let last = frames.len() - 1;
        for frame in &mut frames[..last] {
            frame.inlined = true;
        }
        let outermost = &mut frames[last];
        if outermost.function.is_none() {
            let symbol = loader.find_symbol(probe);
            outermost.function = symbol.map(demangled);
        }
        if let Some(trouble) = trouble {
            let note = format!(
                "{} has debug information that cannot be read ({trouble}): some places in it are shown as offsets",
                self.name(site.module)
            );
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        frames
    }

    fn name(&self, module: u64) -> String {
        self.known.get(&module).map_or_else(|| format!("module {module:#x}"), |m| m.path.display().to_string())
    }

    fn open(&mut self, id: u64) {
        if self.open.contains_key(&id) {
            return;
        }
        let loader = self.known.get(&id).and_then(|module| match load(module, &self.directories) {
            Ok(loader) => Some(loader),
            Err(why) => {
                let path = module.path.display();
                self.notes.push(format!("{path} {why}: places in it are shown as offsets"));
                None
            }
        });
        self.open.insert(id, loader);
    }
}

fn load(module: &Module, directories: &[PathBuf]) -> Result<Loader, String> {
    let path = symbols::locate(module, directories)?;
    Loader::new(path).map_err(|e| format!("has debug information that cannot be read ({e})"))
}

/// The line that the code comes to next, with its column. gfortran names the line on which a procedure begins for what a statement loads from
/// a scalar of a common block or an equivalence: the statement itself is what comes next.
fn next_line(loader: &Loader, probe: u64, line: u32) -> Option<(Option<u32>, Option<u32>)> {
    // Between the load and what its value is for.
    const FAR: u64 = 512;
    let rows = loader.find_location_range(probe, probe + FAR).ok()?;
    rows.map(|(_, _, location)| (location.line.filter(|&next| next > 0), location.column.filter(|&column| column > 0)))
        .find(|&(next, _)| next.is_some_and(|next| next != line))
}

fn is_fortran<R: gimli::Reader>(function: &addr2line::FunctionName<R>) -> bool {
    const FORTRAN: [gimli::DwLang; 6] = [
        gimli::DW_LANG_Fortran77,
        gimli::DW_LANG_Fortran90,
        gimli::DW_LANG_Fortran95,
        gimli::DW_LANG_Fortran03,
        gimli::DW_LANG_Fortran08,
        gimli::DW_LANG_Fortran18,
    ];
    function.language.is_some_and(|language| FORTRAN.contains(&language))
}

/// A function as the programmer wrote it.
fn readable<R: gimli::Reader>(function: &addr2line::FunctionName<R>) -> Option<String> {
    if is_fortran(function) {
        return function.raw_name().ok().map(|name| fortran(&name));
    }
    function.demangle().ok().map(|name| demangled(&name))
}
