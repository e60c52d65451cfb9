//! Return addresses to source locations, by the debug information of the loaded files.
//!
//! A [`Site`] is a return address: the instruction before it is the one in question, so `offset - 1` is looked up.

use crate::records::Module;
use crate::shape::Frame;
use crate::source::Sources;
use crate::words::demangled;
use addr2line::Loader;
use object::Object;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;
use thrille_model::Site;

/// The loaded files of a run; each is opened at its first use.
pub struct Modules {
    known: HashMap<u64, Module>,
    open: HashMap<u64, Option<Loader>>,
    found: HashMap<Site, Rc<[Frame]>>,
    sources: Sources,
    /// What could not be opened, and why.
    pub notes: Vec<String>,
}

impl Modules {
    /// Nothing is opened yet.
    pub fn new(known: HashMap<u64, Module>, base: &Path) -> Self {
        let (open, found) = (HashMap::new(), HashMap::new());
        Self { known, open, found, sources: Sources::new(base), notes: Vec::new() }
    }

    /// Known places without any file behind them.
    #[cfg(test)]
    pub fn made_up(found: HashMap<Site, Vec<Frame>>) -> Self {
        let found = found.into_iter().map(|(site, frames)| (site, frames.into())).collect();
        Self { found, ..Self::new(HashMap::new(), Path::new("/")) }
    }

    /// The source files.
    pub fn sources(&mut self) -> &mut Sources {
        &mut self.sources
    }

    /// The frames at a site, innermost first, never none: all but the last one are inlined into the next.
    pub fn frames(&mut self, site: Site) -> Rc<[Frame]> {
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
        if let Ok(mut found) = loader.find_frames(probe) {
            while let Ok(Some(frame)) = found.next() {
                let mut new = bare.clone();
                new.function = frame.function.and_then(|f| f.demangle().ok().map(Cow::into_owned));
                if let Some(location) = frame.location {
                    if let Some(file) = location.file {
                        let (path, shown) = self.sources.show(file);
                        new.source = location.line.and_then(|line| self.sources.line(&path, line));
                        new.path = Some(path.display().to_string());
                        new.file = Some(shown);
                    }
                    new.line = location.line.filter(|&line| line > 0);
                    new.column = location.column.filter(|&column| column > 0);
                }
                frames.push(new);
            }
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
        frames
    }

    fn name(&self, module: u64) -> String {
        self.known.get(&module).map_or_else(|| format!("module {module:#x}"), |m| m.path.display().to_string())
    }

    fn open(&mut self, id: u64) {
        if self.open.contains_key(&id) {
            return;
        }
        let loader = self.known.get(&id).and_then(|module| match load(module) {
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

fn load(module: &Module) -> Result<Loader, String> {
    let file = File::open(&module.path).map_err(|e| format!("cannot be opened ({e})"))?;
    let cache = object::ReadCache::new(file);
    let elf = object::File::parse(&cache).map_err(|e| format!("cannot be read ({e})"))?;
    let build_id = elf.build_id().ok().flatten().unwrap_or_default();
    if !module.build_id.is_empty() && build_id != module.build_id {
        return Err("has been built anew since the run".into());
    }
    Loader::new(&module.path).map_err(|e| format!("cannot be read ({e})"))
}
