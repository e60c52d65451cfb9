//! Post, start, complete, wait.
//!
//! A post comes before the starts that name it. What an origin does between start and complete is done, for its target and whoever
//! comes after that, when the target's wait returns; the origin itself knows no more than that its own buffers are free. So complete
//! counts as a fence on the way to the target and a word written behind it, and wait as seeing that word. A target posts anew only
//! after its wait: the next start tells the origin that the epoch before is over at the target too, and so does a global barrier that the
//! target comes to after its wait. Where no memory tells that it has waited, the second barrier after complete is taken for that one.

use crate::mpi::call::{Call, SUCCESS, Shared, call, calls};
use crate::mpi::comms::of_group;
use crate::mpi::windows::{Step, Window, window};
use crate::mpi::words;
use mpi_sys::{MPI_Group, MPI_Win};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::{Channel, Ctx, How, Rank, Segment, Token, Word};
use thrille_runtime::Made;

/// A completed epoch that the target may not be through with.
struct Settling {
    /// What its operations go by.
    ctx: Ctx,
    /// What the target's waits are counted by.
    word: Word,
    /// The wait that ends it.
    number: u64,
    /// Global barriers since.
    barriers: u32,
}

impl Settling {
    /// Whether the target has waited for it, as far as that can be known, when a global barrier comes.
    fn is_over(&mut self) -> bool {
        self.barriers += 1;
        words::lock(self.word).map_or(self.barriers > 1, |mut waits| waits.version() >= self.number)
    }
}

static SETTLING: Shared<Vec<Settling>> = Shared::new();

/// Whether there ever were any.
static ANY_SETTLING: AtomicBool = AtomicBool::new(false);

/// At a global barrier: the scopes of epochs that are over with it.
pub fn settled() -> Vec<Ctx> {
    if !ANY_SETTLING.load(Ordering::Relaxed) {
        return Vec::new();
    }
    SETTLING.with(|all| all.extract_if(.., Settling::is_over).map(|epoch| epoch.ctx).collect())
}

fn posted(window: &Window, from: Rank, to: Rank, seq: u64) -> Token {
    Token::Message { group: 1 << 62 | window.group(), from, to, tag: 0, seq }
}

/// The word that an origin writes at a target when it completes.
fn word(window: &Window, origin: Rank, target: Rank) -> Word {
    Word { owner: target, segment: Segment::Window(window.number), offset: 1 << 62 | u64::from(origin.0) }
}

fn start(call: &mut Call, win: MPI_Win, group: MPI_Group) {
    let me = call.me();
    let found = window(win, |w| {
        let targets: Vec<(c_int, Rank)> =
            of_group(group).into_iter().filter_map(|process| Some((w.rank_of(process)?, process))).collect();
        w.started.clone_from(&targets);
        let mut tokens = Vec::new();
        let mut over = Vec::new();
        for (rank, process) in targets {
            let seq = w.count(Step::Start, process);
            tokens.push(posted(w, process, me, seq));
            over.extend(w.partner(rank).map(|p| p.far));
        }
        (tokens, over)
    });
    let Some((tokens, over)) = found else { return };
    for token in tokens {
        call.hear(token);
    }
    for epoch in SETTLING.with(|all| all.extract_if(.., |epoch| over.contains(&epoch.ctx)).collect::<Vec<_>>()) {
        call.quiet(epoch.ctx);
    }
}

fn complete(call: &mut Call, win: MPI_Win) {
    let me = call.me();
    let found = window(win, |w| {
        let targets = std::mem::take(&mut w.started);
        let mut found = Vec::new();
        for (rank, process) in targets {
            let version = w.count(Step::Complete, process);
            let word = word(w, me, process);
            if let Some(partner) = w.partner(rank) {
                let near: Vec<Ctx> = std::iter::once(partner.near).chain(partner.requests.drain(..)).collect();
                found.push((near, Channel { origin: me, ctx: partner.far, target: process }, word, version));
            }
        }
        found
    });
    for (near, channel, word, version) in found.unwrap_or_default() {
        for ctx in near {
            call.quiet(ctx);
        }
        if call.confirms() {
            // The target's wait, which this call lets go on, is behind it.
            crate::confirm::completing(call, |span| span.goes_by(channel.ctx));
        }
        call.fence(channel.ctx);
        let mut rank = call.o.session.rank();
        let made = Made { version, unseen_before: false };
        rank.update(call.o.recorder, word, made, How::Set, Some(channel), false);
        drop(rank);
        ANY_SETTLING.store(true, Ordering::Relaxed);
        SETTLING.with(|all| all.push(Settling { ctx: channel.ctx, word, number: version, barriers: 0 }));
    }
}

fn waited(call: &mut Call, win: MPI_Win) {
    let me = call.me();
    let seen = window(win, |w| {
        let origins = std::mem::take(&mut w.posted);
        origins.into_iter().map(|o| (word(w, o, me), w.count(Step::Wait, o))).collect::<Vec<_>>()
    });
    for (word, version) in seen.unwrap_or_default() {
        call.o.session.rank().observe(call.o.recorder, word, version);
        if let Some(mut waits) = words::lock(word) {
            waits.update();
        }
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Win_post(group: MPI_Group, assert: c_int, win: MPI_Win), real => {
        let Some(mut call) = call() else { return real() };
        let me = call.me();
        let tokens = window(win, |w| {
            w.posted = of_group(group);
            let origins = w.posted.clone();
            origins.into_iter().map(|o| { let seq = w.count(Step::Post, o); posted(w, me, o, seq) }).collect::<Vec<_>>()
        });
        for token in tokens.unwrap_or_default() {
            call.release(token);
        }
        real()
    }
    fn Win_start(group: MPI_Group, assert: c_int, win: MPI_Win), real => {
        let call = call();
        let result = real();
        if let (Some(mut call), SUCCESS) = (call, result) {
            start(&mut call, win, group);
        }
        result
    }
    fn Win_complete(win: MPI_Win), real => {
        let mut call = call();
        if let Some(call) = &mut call && call.confirms() {
            complete(call, win);
            return real();
        }
        let result = real();
        if let (Some(mut call), SUCCESS) = (call, result) {
            complete(&mut call, win);
        }
        result
    }
    fn Win_wait(win: MPI_Win), real => {
        let call = call();
        let result = real();
        if let (Some(mut call), SUCCESS) = (call, result) {
            waited(&mut call, win);
        }
        result
    }
    fn Win_test(win: MPI_Win, flag: *mut c_int), real => {
        let call = call();
        let result = real();
        // SAFETY: the library has written the flag.
        if let (Some(mut call), SUCCESS) = (call, result) && unsafe { *flag } != 0 {
            waited(&mut call, win);
        }
        result
    }
}
