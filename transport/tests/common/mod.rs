//! The same ranks on every transport.

pub mod script;

use std::{sync::mpsc::Receiver, thread, time::Duration};

use thrille_transport::{Hub, HubEvent, SocketTransport, Token, Transport, local_with_events};

pub type Rank = Box<dyn Transport + Send>;

pub enum Launcher {
    Local(Receiver<HubEvent>),
    Hub(Hub),
}

impl Launcher {
    /// The next event that is not a `Joined`.
    pub fn next(&self) -> HubEvent {
        let events = match self {
            Self::Local(events) => events,
            Self::Hub(hub) => hub.events(),
        };
        loop {
            match events.recv_timeout(Duration::from_secs(20)).expect("an event") {
                HubEvent::Joined(_) => {}
                event => return event,
            }
        }
    }
}

pub fn locally(n: u32) -> (Vec<Rank>, Launcher) {
    let (ranks, events) = local_with_events(n);
    (ranks.into_iter().map(|rank| Box::new(rank) as Rank).collect(), Launcher::Local(events))
}

pub fn over_sockets(n: u32) -> (Vec<Rank>, Launcher) {
    let token = Token::random().unwrap();
    let hub = Hub::start(n, token.clone()).unwrap();
    let connect = |rank| Box::new(SocketTransport::connect(hub.addr(), &token, rank, n).unwrap()) as Rank;
    ((0..n).map(connect).collect(), Launcher::Hub(hub))
}

/// One body at 1, 2, 3, 4 and 8 ranks on every transport.
pub fn everywhere(body: impl Fn(Vec<Rank>, &Launcher)) {
    for n in [1, 2, 3, 4, 8] {
        for (name, world) in [("local", locally as fn(u32) -> _), ("sockets", over_sockets)] {
            println!("{n} ranks, {name}");
            let (ranks, launcher) = world(n);
            body(ranks, &launcher);
        }
    }
}

/// One thread a rank; what each returned, in order of rank.
pub fn together<R: Send>(ranks: Vec<Rank>, body: impl Fn(Rank) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let body = &body;
        let threads: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(move || body(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
