//! What of the two assemblies goes with what.
//!
//! Functions are known by their names, and, where the compiler has numbered them, by name and place in the source; data likewise. What is in the
//! instrumented assembly only stays there if it is code or constant; data that can be written to must be in both.

use crate::text::numbered;
use crate::unit::{Binding, Data, Function, Place, Section, Unit};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Why two assemblies are not joined.
#[derive(Debug)]
pub struct Unfit(String);

impl Unfit {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A function that is there twice.
#[derive(Debug)]
pub struct Twin {
    /// The symbol of its instrumented copy.
    pub symbol: String,
    /// That of its table.
    pub table: String,
    pub binding: Binding,
    /// It has atomic instructions.
    pub synchronises: bool,
}

/// What goes with what.
#[derive(Debug)]
pub struct Fit {
    /// By the names in the plain assembly.
    pub twins: HashMap<String, Twin>,
    /// The functions of the instrumented assembly that are some plain function's twin, and whose: by their names there.
    pub twin_of: HashMap<String, String>,
    /// What the instrumented assembly defines and should not.
    pub dropped: HashSet<String>,
    /// What its symbols are called for it to reach those of the plain one.
    pub names: HashMap<String, String>,
    /// Local symbols of the plain assembly, and names by which the other one can reach them.
    pub exported: Vec<(String, String)>,
    /// Groups of code that both have.
    pub groups: HashSet<String>,
}

/// Functions that the compiler made of others, for some of their callers or as a part.
fn is_derived(name: &str) -> bool {
    [".constprop.", ".isra.", ".part.", ".lto_priv."].iter().any(|word| name.contains(word))
}

/// What a function is known by.
fn key(function: &Function) -> (&str, Option<&Place>) {
    (numbered(&function.name).unwrap_or(&function.name), function.place.as_ref())
}

impl Fit {
    pub fn new(plain: &Unit, instrumented: &Unit, unique: &str) -> Result<Self, Unfit> {
        let twin_of = matched(plain, instrumented)?;
        let mut new = Self {
            twins: HashMap::new(),
            twin_of,
            dropped: HashSet::new(),
            names: HashMap::new(),
            exported: Vec::new(),
            groups: plain.code_groups().into_iter().map(Into::into).collect(),
        };
        new.double(plain, instrumented, unique);
        new.reachable_only_by_plain_code(plain)?;
        let mut same = new.data(plain, instrumented)?;
        same.extend(new.twin_of.iter().map(|(theirs, ours)| (theirs.clone(), ours.clone())));
        new.export(plain, instrumented, &same, unique)?;
        Ok(new)
    }

    /// Decides which functions are there twice.
    fn double(&mut self, plain: &Unit, instrumented: &Unit, unique: &str) {
        let atomics: HashSet<&(String, u32)> = instrumented.functions.iter().flat_map(|f| &f.atomics).collect();
        let by_name: HashMap<&str, &Function> = plain.functions.iter().map(|f| (f.name.as_str(), f)).collect();
        let mut synchronising: HashSet<&str> = (plain.functions.iter())
            .filter(|f| f.locks || f.source.iter().any(|line| atomics.contains(line)))
            .map(|f| f.name.as_str())
            .collect();
        for theirs in instrumented.functions.iter().filter(|f| f.locks) {
            if let Some(ours) = self.twin_of.get(&theirs.name) {
                synchronising.insert(by_name[ours.as_str()].name.as_str());
            }
        }
        // What runs as part of plain code, because it is there alone, is part of it.
        let ours: HashSet<&str> = self.twin_of.values().map(String::as_str).collect();
        loop {
            let before = synchronising.len();
            for function in &plain.functions {
                let part = |name: &String| synchronising.contains(name.as_str()) && !ours.contains(name.as_str());
                if function.names.iter().any(part) {
                    synchronising.insert(&function.name);
                }
            }
            if synchronising.len() == before {
                break;
            }
        }
        for theirs in &instrumented.functions {
            let Some(ours) = self.twin_of.get(&theirs.name) else { continue };
            let synchronises = synchronising.contains(ours.as_str());
            // Where nothing is told and nobody called, there is nothing to choose.
            if theirs.hooks == 0 && !theirs.calls && !synchronises {
                continue;
            }
            let binding = plain.binding(ours);
            let own =
                if binding == Binding::Local { format!("{ours}.thrille.{unique}") } else { format!("{ours}.thrille") };
            let twin = Twin { table: format!("{own}.table"), symbol: own, binding, synchronises };
            self.twins.insert(ours.clone(), twin);
        }
    }

    /// Plain functions without a twin must not be called by anybody but plain functions: what they do would go unseen.
    fn reachable_only_by_plain_code(&self, plain: &Unit) -> Result<(), Unfit> {
        let paired: HashSet<&str> = self.twin_of.values().map(String::as_str).collect();
        for function in plain.functions.iter().filter(|f| !paired.contains(f.name.as_str())) {
            let name = &function.name;
            if plain.binding(name) != Binding::Local {
                return Err(Unfit::new(format!("{name} is in the plain assembly only")));
            }
            if plain.named_by_data.contains(name) {
                return Err(Unfit::new(format!("{name} is in the plain assembly only, and its address is taken")));
            }
        }
        Ok(())
    }

    /// Which data of the instrumented assembly is the plain one's, and by which name.
    fn data(&mut self, plain: &Unit, instrumented: &Unit) -> Result<HashMap<String, String>, Unfit> {
        let mut by_origin: HashMap<_, Vec<&str>> = HashMap::new();
        for (symbol, origin) in &plain.origins {
            by_origin.entry(origin).or_default().push(symbol);
        }
        let constant = |data: &Data| {
            data.alias.is_none() && instrumented.sections.get(data.section).is_some_and(Section::is_constant)
        };
        let mut same: HashMap<String, String> = HashMap::new();
        let mut taken: HashSet<&str> = HashSet::new();
        for (name, data) in &instrumented.data {
            let ours = if numbered(name).is_some() && instrumented.binding(name) == Binding::Local {
                let origin = instrumented.origins.get(name);
                match origin.and_then(|origin| by_origin.get(origin)).map(Vec::as_slice) {
                    Some([one]) if plain.data.contains_key(*one) && taken.insert(one) => Some(*one),
                    Some([_, ..]) => return Err(Unfit::new(format!("{name} is not the only one of its place"))),
                    _ if constant(data) => None,
                    _ => return Err(Unfit::new(format!("{name} is not known to be any of the plain variables"))),
                }
            } else if plain.data.contains_key(name) {
                Some(name.as_str())
            } else if instrumented.binding(name) == Binding::Local
                && data.alias.as_ref().is_some_and(|of| self.twin_of.contains_key(of))
            {
                // A name by which the compiler calls a function that it knows to be this one: see `export`.
                self.dropped.insert(name.clone());
                None
            } else if constant(data) || (instrumented.binding(name) == Binding::Weak && self.stays(data)) {
                None
            } else {
                return Err(Unfit::new(format!("{name} is in the instrumented assembly only")));
            };
            let Some(ours) = ours else { continue };
            let other = &plain.data[ours];
            if other.size != data.size
                || other.alias.is_some() != data.alias.is_some()
                || plain.binding(ours) != instrumented.binding(name)
            {
                return Err(Unfit::new(format!("{name} is not the same in both")));
            }
            self.dropped.insert(name.clone());
            same.insert(name.clone(), ours.into());
        }
        Ok(same)
    }

    /// Whether something that any object may define can be left where it is: unless it is a second name of what goes away.
    fn stays(&self, data: &Data) -> bool {
        data.alias.as_ref().is_none_or(|of| !self.twin_of.contains_key(of) && !self.dropped.contains(of))
    }

    /// Makes reachable what the instrumented assembly names.
    fn export(
        &mut self,
        plain: &Unit,
        instrumented: &Unit,
        same: &HashMap<String, String>,
        unique: &str,
    ) -> Result<(), Unfit> {
        let own_name = |ours: &str| format!("{ours}.thrille.{unique}.own");
        let is_named = |name: &String| {
            instrumented.named_by_data.contains(name)
                || instrumented.origins.contains_key(name)
                || instrumented.functions.iter().any(|f| f.names.contains(name))
        };
        let mut wanted = BTreeSet::new();
        for (theirs, ours) in
            same.iter().filter(|(theirs, ours)| plain.binding(ours) == Binding::Local && is_named(theirs))
        {
            self.names.insert(theirs.clone(), own_name(ours));
            wanted.insert(ours);
        }
        for (name, data) in
            instrumented.data.iter().filter(|(name, _)| self.dropped.contains(*name) && !same.contains_key(*name))
        {
            let Some(ours) = data.alias.as_ref().and_then(|of| same.get(of)) else { continue };
            self.names.insert(name.clone(), own_name(ours));
            wanted.insert(ours);
        }
        for ours in wanted {
            let section = match plain.data.get(ours) {
                Some(data) => plain.sections.get(data.section),
                None => plain.functions.iter().find(|f| f.name == *ours).map(|f| &plain.sections[f.section]),
            };
            if section.is_some_and(|section| section.group.is_some()) {
                return Err(Unfit::new(format!("{ours} may be left out by the linker")));
            }
            self.exported.push((ours.clone(), own_name(ours)));
        }
        Ok(())
    }
}

/// Which functions of the instrumented assembly are which of the plain one.
fn matched(plain: &Unit, instrumented: &Unit) -> Result<HashMap<String, String>, Unfit> {
    let mut by_key: HashMap<_, Vec<&Function>> = HashMap::new();
    for function in plain.functions.iter().filter(|f| !is_derived(&f.name)) {
        by_key.entry(key(function)).or_default().push(function);
    }
    let mut counts: HashMap<_, usize> = HashMap::new();
    for function in &instrumented.functions {
        *counts.entry(key(function)).or_default() += 1;
    }
    let mut found = HashMap::new();
    for function in instrumented.functions.iter().filter(|f| !is_derived(&f.name)) {
        let Some(ours) = by_key.get(&key(function)) else {
            if instrumented.binding(&function.name) == Binding::Global {
                return Err(Unfit::new(format!(
                    "{} is in the instrumented assembly only, or elsewhere in it",
                    function.name
                )));
            }
            continue;
        };
        let ours = match ours.as_slice() {
            [one] if counts[&key(function)] == 1 => one,
            // Several of one name and place are numbered in the order of the source before anything else happens.
            several if several.len() == counts[&key(function)] && function.name.contains("._omp_fn.") => {
                let own = several.iter().find(|one| one.name == function.name);
                own.ok_or_else(|| Unfit::new(format!("{} is not in the plain assembly", function.name)))?
            }
            _ => return Err(Unfit::new(format!("{} is not the only one of its place", function.name))),
        };
        if plain.binding(&ours.name) != instrumented.binding(&function.name) {
            return Err(Unfit::new(format!("{} is not the same in both", function.name)));
        }
        found.insert(function.name.clone(), ours.name.clone());
    }
    Ok(found)
}
