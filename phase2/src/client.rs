//! A rank's end: one connection, shared by its strands; one thread that listens.
//!
//! A strand that asks waits until it is told to go on, or until nobody is there any more who could tell: whatever happens to the
//! coordinator, the program goes on. While nobody is held anywhere, what a strand does costs it a store; nothing is sent.

use crate::candidate::LiveSite;
use crate::protocol::{Arrival, Doing, Life, Said, Told, greeting, receive, send};
use crate::schedule::Late;
use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thrille_model::Strand;
use thrille_transport::Token;

/// How long a rank tries to reach the coordinator.
const CONNECT: Duration = Duration::from_secs(10);

/// How often a strand says what it does before it is slowed down.
const TALKATIVE: u32 = 200;
/// How often a strand that waits looks up.
const IDLE: Duration = Duration::from_millis(1);

/// What a strand is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// It waited in vain.
    pub missed: bool,
    /// It is to say when it is done.
    pub report: bool,
}

/// A strand's place at the client.
#[derive(Debug)]
pub struct Seat {
    strand: Strand,
    in_call: AtomicBool,
    /// What it has said of its calls since it is listened to.
    said: AtomicU32,
    told: Mutex<Option<Go>>,
    changed: Condvar,
}

impl Seat {
    /// Whose it is.
    pub fn strand(&self) -> Strand {
        self.strand
    }

    /// A strand that polls by calls says more than the coordinator can listen to, and what matters would have to wait behind it.
    fn takes_its_time(&self) {
        if self.said.fetch_add(1, Ordering::Relaxed) >= TALKATIVE {
            std::thread::sleep(IDLE);
        }
    }

    fn doing(&self) -> Doing {
        if self.in_call.load(Ordering::SeqCst) { Doing::InCall } else { Doing::Running }
    }
}

/// The connection.
#[derive(Debug)]
pub struct Client {
    writer: Mutex<TcpStream>,
    seats: Mutex<BTreeMap<Strand, Arc<Seat>>>,
    live: Vec<LiveSite>,
    off: Vec<AtomicBool>,
    watched: AtomicBool,
    over: AtomicBool,
    /// Strands that are to say when they have gone on, and have not yet.
    owing: AtomicU32,
    late: Option<Late>,
    /// A child of this process has the connection too, but nobody who listens.
    process: u32,
    /// What a strand that waits does meanwhile.
    idle: Option<fn(Strand)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Joins as a rank of so many. What comes back besides is for [`Client::listen`], on a thread of its own. Strands that wait call `idle`
    /// again and again.
    pub fn connect(
        at: SocketAddr,
        token: &Token,
        (rank, size): (u32, u32),
        idle: Option<fn(Strand)>,
    ) -> io::Result<(Arc<Self>, TcpStream)> {
        let mut stream = TcpStream::connect_timeout(&at, CONNECT)?;
        stream.set_nodelay(true)?;
        io::Write::write_all(&mut stream, &greeting(token))?;
        send(&mut stream, &Said::Hello { rank, size })?;
        stream.set_read_timeout(Some(CONNECT))?;
        let Told::Live(live, late) = receive(&mut stream)? else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the coordinator does not begin as it should"));
        };
        stream.set_read_timeout(None)?;
        let off = live.iter().map(|_| AtomicBool::new(false)).collect();
        let client = Self {
            writer: Mutex::new(stream.try_clone()?),
            seats: Mutex::default(),
            live,
            off,
            watched: AtomicBool::new(false),
            over: AtomicBool::new(false),
            owing: AtomicU32::new(0),
            late,
            process: std::process::id(),
            idle,
        };
        Ok((Arc::new(client), stream))
    }

    /// The phase before which a strand waits for the others, if it is the one that is late.
    pub fn late(&self, strand: Strand) -> Option<u64> {
        self.late.filter(|late| late.strand == strand).map(|late| late.phase)
    }

    /// Where to stop.
    pub fn live(&self) -> &[LiveSite] {
        &self.live
    }

    /// Whether a place is still of interest.
    pub fn is_live(&self, index: u32) -> bool {
        !self.over.load(Ordering::Relaxed)
            && self.off.get(index as usize).is_some_and(|off| !off.load(Ordering::Relaxed))
    }

    /// Does what it is told until the connection ends. `switched_off` is called when places are of no interest any more, unless a strand is to say
    /// that it has gone on: its next step must not be missed.
    pub fn listen(&self, mut from: TcpStream, switched_off: impl Fn()) {
        while let Ok(told) = receive(&mut from) {
            match told {
                Told::Go { strand, missed, report } => {
                    self.owing.fetch_add(report.into(), Ordering::SeqCst);
                    if let Some(seat) = lock(&self.seats).get(&strand) {
                        *lock(&seat.told) = Some(Go { missed, report });
                        seat.changed.notify_one();
                    }
                }
                Told::Watch(yes) => {
                    self.watched.store(yes, Ordering::SeqCst);
                    if yes {
                        let seats: Vec<Arc<Seat>> = lock(&self.seats).values().cloned().collect();
                        for seat in &seats {
                            self.say_doing(seat);
                        }
                    }
                }
                Told::Off(places) => {
                    for place in places {
                        if let Some(off) = self.off.get(place as usize) {
                            off.store(true, Ordering::Relaxed);
                        }
                    }
                    if self.owing.load(Ordering::SeqCst) == 0 {
                        switched_off();
                    }
                }
                Told::Over => self.end_all(),
                Told::Live(..) => {}
            }
        }
        self.end_all();
        switched_off();
    }

    /// Nobody waits any more.
    fn end_all(&self) {
        self.over.store(true, Ordering::SeqCst);
        for seat in lock(&self.seats).values() {
            lock(&seat.told).get_or_insert_default();
            seat.changed.notify_one();
        }
    }

    fn say(&self, said: &Said) {
        if self.is_here() && send(&mut *lock(&self.writer), said).is_err() {
            // Whoever waits is told by the thread that listens: the connection is gone for it, too.
            self.over.store(true, Ordering::SeqCst);
        }
    }

    /// What a strand does, as it is when it is said: what the strand itself says of it later is said behind this.
    fn say_doing(&self, seat: &Seat) {
        let mut writer = lock(&self.writer);
        let said = Said::Doing(seat.strand, seat.doing());
        if self.is_here() && send(&mut *writer, &said).is_err() {
            self.over.store(true, Ordering::SeqCst);
        }
    }

    /// A strand is about to begin: it is there from now on.
    pub fn announce(&self, strand: Strand) {
        self.say(&Said::Strand(strand, Life::Begins));
    }

    /// A strand begins.
    pub fn begin(&self, strand: Strand) -> Arc<Seat> {
        let seat = Arc::new(Seat {
            strand,
            in_call: AtomicBool::new(false),
            said: AtomicU32::new(0),
            told: Mutex::new(None),
            changed: Condvar::new(),
        });
        lock(&self.seats).insert(strand, Arc::clone(&seat));
        self.say(&Said::Strand(strand, Life::Begins));
        seat
    }

    /// It ends.
    pub fn end(&self, seat: &Seat) {
        lock(&self.seats).remove(&seat.strand);
        self.say(&Said::Strand(seat.strand, Life::Ends));
    }

    /// It enters a call that may wait for others.
    #[inline]
    pub fn enter(&self, seat: &Seat) {
        self.does(seat, true);
    }

    /// It is back from it.
    #[inline]
    pub fn leave(&self, seat: &Seat) {
        self.does(seat, false);
    }

    #[inline]
    fn does(&self, seat: &Seat, in_call: bool) {
        seat.in_call.store(in_call, Ordering::SeqCst);
        if self.watched.load(Ordering::SeqCst) {
            self.say(&Said::Doing(seat.strand, seat.doing()));
            seat.takes_its_time();
        } else {
            seat.said.store(0, Ordering::Relaxed);
        }
    }

    /// It stands at a live place: waits to be let go.
    pub fn arrive(&self, seat: &Seat, arrival: Arrival) -> Go {
        self.ask(seat, &Said::Arrived(Box::new(arrival)))
    }

    /// It is about to complete these operations: waits to be let go.
    pub fn completing(&self, seat: &Seat, operations: Vec<u64>) -> Go {
        self.ask(seat, &Said::Completing(seat.strand, operations))
    }

    fn is_here(&self) -> bool {
        !self.over.load(Ordering::SeqCst) && std::process::id() == self.process
    }

    fn ask(&self, seat: &Seat, said: &Said) -> Go {
        if !self.is_here() {
            return Go::default();
        }
        *lock(&seat.told) = None;
        self.say(said);
        let mut told = lock(&seat.told);
        let go = loop {
            if let Some(go) = told.take() {
                break go;
            }
            if self.over.load(Ordering::SeqCst) {
                return Go::default();
            }
            // Without anything to do meanwhile, the time-out is for the one case that nobody notices: the end comes between the look and
            // the wait.
            let nap = if self.idle.is_some() { IDLE } else { 50 * IDLE };
            told = seat.changed.wait_timeout(told, nap).unwrap_or_else(PoisonError::into_inner).0;
            if let (Some(idle), None) = (self.idle, *told) {
                drop(told);
                idle(seat.strand);
                told = lock(&seat.told);
            }
        };
        drop(told);
        if seat.doing() == Doing::InCall && self.watched.load(Ordering::SeqCst) {
            self.say(&Said::Doing(seat.strand, Doing::InCall));
        }
        go
    }

    /// It has done what it was let go for: waits to be let go further. True if nobody else is to say so.
    pub fn passed(&self, seat: &Seat) -> bool {
        let last = self.owing.fetch_sub(1, Ordering::SeqCst) == 1;
        let go = self.ask(seat, &Said::Passed(seat.strand));
        self.owing.fetch_sub(go.report.into(), Ordering::SeqCst);
        last
    }

    /// It is late: waits to be let go.
    pub fn wait_for_others(&self, seat: &Seat) {
        self.ask(seat, &Said::Late(seat.strand));
    }

    /// This rank's part of a window begins at an address.
    pub fn window(&self, number: u32, base: u64) {
        self.say(&Said::Window(number, base));
    }

    /// The program ends.
    pub fn bye(&self) {
        self.say(&Said::Bye);
        self.end_all();
    }
}
