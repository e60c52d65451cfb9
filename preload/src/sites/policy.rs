//! Who decides what is looked at. Asked where compiled code has run out of what it was granted, never for each access that is let pass.

use super::abi::{Function, Hot};
use super::live::Confirms;
use super::sampling::Sampled;
use crate::sampled;
use std::sync::OnceLock;
use thrille_phase2::protocol::ENV_COORDINATOR;
use thrille_runtime::quick;
use thrille_sampling::Sampling;

/// How a function begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// It is never looked at.
    Off,
    /// It asks after so many calls.
    #[allow(dead_code, reason = "for policies that begin later")]
    After(u32),
    /// It is looked at, for so many accesses.
    For(u32),
    /// It runs instrumented, whatever is looked at there.
    Always,
}

/// What a function may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Accesses to look at now; 0: none.
    pub accesses: u32,
    /// If none: calls to let pass before asking again.
    pub calls: u32,
    /// And whether to ask behind loops, and before their last iterations, too.
    pub asks: bool,
}

/// What becomes of a site's execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// It is recorded.
    pub keep: bool,
    /// If it stands for a loop, and is recorded in part: where that begins, and how many executions it has.
    pub part: Option<(u64, u64)>,
    /// Executions of its block to let pass before asking again. The first site's counts for the block.
    pub gap: u32,
}

/// A policy.
pub trait Policy: Sync {
    /// A function is there.
    fn begin(&self, function: &'static Function) -> Begin;
    /// It is no more.
    fn forget(&self, _: &'static Function) {}
    /// It is called and asks.
    fn call(&self, function: &Function) -> Turn;
    /// It has used up the accesses that it was granted.
    fn spent(&self, function: &Function) -> Turn;
    /// It has left a loop in its plain copy: accesses to look at now.
    fn behind(&self, _: &Function) -> u32 {
        0
    }
    /// The last iteration of its such-and-such loop begins: accesses to look at now.
    fn last(&self, _: &Function, _number: u64) -> u32 {
        0
    }
    /// A site asks, from this return address, for so many executions at once; `shared` tells whether others can reach the bytes that it touches now.
    fn site(&self, site: &Hot, pc: u64, times: u64, shared: &mut dyn FnMut() -> bool) -> Verdict;
    /// So much time went into a site that asked, and was recorded or not.
    fn cost(&self, _ticks: u64, _now: u64, _kept: bool) {}
}

/// Every access of every execution.
struct Full;

impl Policy for Full {
    fn begin(&self, _: &'static Function) -> Begin {
        Begin::For(u32::MAX)
    }

    fn call(&self, _: &Function) -> Turn {
        Turn { accesses: u32::MAX, calls: 0, asks: false }
    }

    fn spent(&self, _: &Function) -> Turn {
        Turn { accesses: u32::MAX, calls: 0, asks: false }
    }

    fn site(&self, _: &Hot, _: u64, _: u64, _: &mut dyn FnMut() -> bool) -> Verdict {
        Verdict { keep: true, part: None, gap: 0 }
    }
}

/// None: calls of the communication library alone.
struct NoLocal;

impl Policy for NoLocal {
    fn begin(&self, function: &'static Function) -> Begin {
        // Atomic instructions are always observed.
        if function.synchronises() { Begin::Always } else { Begin::Off }
    }

    fn call(&self, function: &Function) -> Turn {
        Off.call(function)
    }

    fn spent(&self, function: &Function) -> Turn {
        Off.spent(function)
    }

    fn site(&self, site: &Hot, pc: u64, times: u64, shared: &mut dyn FnMut() -> bool) -> Verdict {
        Off.site(site, pc, times, shared)
    }
}

/// Nobody wants to know of anything.
struct Off;

impl Policy for Off {
    fn begin(&self, _: &'static Function) -> Begin {
        Begin::Off
    }

    fn call(&self, _: &Function) -> Turn {
        Turn { accesses: 0, calls: u32::MAX, asks: false }
    }

    fn spent(&self, _: &Function) -> Turn {
        Turn { accesses: 0, calls: u32::MAX, asks: false }
    }

    fn site(&self, _: &Hot, _: u64, _: u64, _: &mut dyn FnMut() -> bool) -> Verdict {
        Verdict { keep: false, part: None, gap: u32::MAX }
    }
}

/// The process's policy, settled when its first table is registered: before the program begins.
pub fn policy() -> &'static dyn Policy {
    static CHOSEN: OnceLock<&'static dyn Policy> = OnceLock::new();
    *CHOSEN.get_or_init(|| match sampled::for_sites() {
        Some(_) if std::env::var_os(ENV_COORDINATOR).is_some() => &Confirms,
        Some(Sampling::Full) => {
            quick::allow();
            &Full
        }
        Some(Sampling::By(_)) => &Sampled,
        Some(Sampling::NoLocal) => &NoLocal,
        None => &Off,
    })
}
