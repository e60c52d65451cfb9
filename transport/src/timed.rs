//! A transport that knows how long its rounds have taken: what a detector spends on communication, as opposed to what it computes.

use crate::message::{Dealt, Inbox, Outbox};
use crate::{Transport, TransportError};
use std::time::{Duration, Instant};

/// Time spent in rounds so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// From their beginnings to their ends.
    pub wall: Duration,
    /// On a processor, of the calling threads; nothing where the system does not say.
    pub processor: Duration,
}

/// Another transport, with a clock.
#[derive(Debug)]
pub struct Timed<T> {
    inner: T,
    spent: Spent,
}

impl<T> Timed<T> {
    /// Around this one.
    pub fn new(inner: T) -> Self {
        Self { inner, spent: Spent::default() }
    }

    /// How long its rounds have taken.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    fn timed<R>(&mut self, round: impl FnOnce(&mut T) -> R) -> R {
        let (begun, processor) = (Instant::now(), processor());
        let result = round(&mut self.inner);
        self.spent.wall += begun.elapsed();
        self.spent.processor += self::processor().saturating_sub(processor);
        result
    }
}

/// What the calling thread has had of a processor. A few rounds are made for thousands of barriers: reading a file is cheap enough.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

impl<T: Transport> Transport for Timed<T> {
    fn rank(&self) -> u32 {
        self.inner.rank()
    }

    fn size(&self) -> u32 {
        self.inner.size()
    }

    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError> {
        self.timed(|inner| inner.round(out))
    }

    fn deal(&mut self, to: Vec<(u32, Vec<u8>)>, mine: &[u64]) -> Result<Dealt, TransportError> {
        self.timed(|inner| inner.deal(to, mine))
    }

    fn leave(&mut self, last_word: &[u8]) -> Result<(), TransportError> {
        self.inner.leave(last_word)
    }

    fn hurry(&mut self, within: Duration) {
        self.inner.hurry(within);
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), TransportError> {
        self.inner.note(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local;

    #[test]
    fn who_waits_has_communicated() {
        let late = Duration::from_millis(30);
        let spent: Vec<Spent> = std::thread::scope(|scope| {
            let threads = local(2).into_iter().map(|inner| {
                scope.spawn(move || {
                    if inner.rank() == 1 {
                        std::thread::sleep(late);
                    }
                    let mut timed = Timed::new(inner);
                    timed.round(Outbox::new().all("here")).unwrap();
                    timed.spent()
                })
            });
            threads.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(spent[0].wall >= late / 2 && spent[1].wall < spent[0].wall, "{spent:?}");
        assert!(spent[0].processor < spent[0].wall, "who waits does not work: {spent:?}");
    }
}
