//! The floor behind a socket: a thread with a current-thread tokio runtime, one task a connection, one task that owns the floor.

use crate::floor::{Action, Floor};
use crate::protocol::{GREETING, Said, Told, frame, frame_len, value, welcome};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thrille_transport::Token;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

/// How long a connection may take over the greeting.
const GREETING_TIME: Duration = Duration::from_secs(10);
/// How long to sleep when nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// Why there is no coordinator.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// No port.
    #[error("the coordinator cannot listen on {0}: {1}; check that the interface is up")]
    Bind(IpAddr, io::Error),
    /// No runtime or no thread.
    #[error("the coordinator cannot start: {0}; check the limits on open files and threads (ulimit -n, ulimit -u)")]
    Start(io::Error),
}

enum Input {
    Joined(u32, mpsc::UnboundedSender<Told>),
    Said(u32, Said),
    Lost(u32),
    /// The run is over; the floor is handed back.
    Finish(oneshot::Sender<Floor>),
}

/// A coordinator at work.
pub struct Coordinator {
    at: SocketAddr,
    inputs: mpsc::UnboundedSender<Input>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Coordinator {
    /// Listens on a free port of this address for the ranks of one run. After so long nobody is held any more.
    pub fn start(on: IpAddr, token: Token, floor: Floor, patience: Duration) -> Result<Self, CoordinatorError> {
        let listener = std::net::TcpListener::bind((on, 0)).map_err(|error| CoordinatorError::Bind(on, error))?;
        listener.set_nonblocking(true).map_err(CoordinatorError::Start)?;
        let at = listener.local_addr().map_err(CoordinatorError::Start)?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CoordinatorError::Start)?;
        let (inputs, receiver) = mpsc::unbounded_channel();
        let sender = inputs.clone();
        let serve = move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::spawn(accept(listener, Arc::new(token), sender));
                own(floor, receiver, patience).await;
            });
        };
        let thread =
            std::thread::Builder::new().name("coordinator".into()).spawn(serve).map_err(CoordinatorError::Start)?;
        Ok(Self { at, inputs, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.at
    }

    /// The run is over: what came of it.
    pub fn finish(mut self) -> Option<Floor> {
        let (answer, floor) = oneshot::channel();
        let asked = self.inputs.send(Input::Finish(answer));
        let floor = asked.ok().and_then(|()| floor.blocking_recv().ok());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        floor
    }
}

async fn accept(listener: TcpListener, token: Arc<Token>, inputs: mpsc::UnboundedSender<Input>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(stream, Arc::clone(&token), inputs.clone()));
            }
            // Too many open files, for example: it may pass.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// One connection. Strangers get no answer.
async fn serve(stream: TcpStream, token: Arc<Token>, inputs: mpsc::UnboundedSender<Input>) {
    let _ = stream.set_nodelay(true);
    let (mut reader, writer) = stream.into_split();
    let mut greeting = [0; GREETING];
    let greeted = tokio::time::timeout(GREETING_TIME, reader.read_exact(&mut greeting)).await;
    if !matches!(greeted, Ok(Ok(_))) || !welcome(&greeting, &token) {
        return;
    }
    let Ok(Said::Hello { rank, .. }) = hear(&mut reader).await else { return };
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(tell(writer, receiver));
    if inputs.send(Input::Joined(rank, sender)).is_err() {
        return;
    }
    while let Ok(said) = hear(&mut reader).await {
        if inputs.send(Input::Said(rank, said)).is_err() {
            return;
        }
    }
    let _ = inputs.send(Input::Lost(rank));
}

async fn hear(from: &mut OwnedReadHalf) -> io::Result<Said> {
    let mut head = [0; 4];
    from.read_exact(&mut head).await?;
    let mut payload = vec![0; frame_len(head)?];
    from.read_exact(&mut payload).await?;
    value(&payload)
}

async fn tell(mut to: OwnedWriteHalf, mut what: mpsc::UnboundedReceiver<Told>) {
    while let Some(told) = what.recv().await {
        if to.write_all(&frame(&told)).await.is_err() {
            return;
        }
    }
}

/// The task that owns the floor.
async fn own(mut floor: Floor, mut inputs: mpsc::UnboundedReceiver<Input>, patience: Duration) {
    let begun = Instant::now();
    let mut ranks = Ranks::new();
    let mut over = false;
    let mut asked = Duration::ZERO;
    floor.pace(crowd());
    loop {
        let due = floor.deadline().map_or(IDLE, |at| at.saturating_sub(begun.elapsed()));
        let input = tokio::select! {
            biased;
            input = inputs.recv() => input,
            () = tokio::time::sleep(due) => {
                floor.tick(begun.elapsed());
                act(&mut floor, &ranks);
                continue;
            }
        };
        let now = begun.elapsed();
        if now >= asked + Duration::from_millis(20) {
            asked = now;
            floor.pace(crowd());
        }
        let late = !over && now >= patience;
        match input {
            None => return,
            Some(Input::Joined(rank, to)) => {
                let _ = to.send(Told::Live(floor.live().to_vec(), floor.late()));
                let _ = to.send(Told::Off(floor.off()));
                if over {
                    let _ = to.send(Told::Over);
                }
                ranks.insert(rank, to);
                floor.join(now);
            }
            Some(Input::Said(rank, said)) => listen(&mut floor, now, rank, said),
            Some(Input::Lost(rank)) => {
                ranks.remove(&rank);
                floor.leave(now, rank);
            }
            Some(Input::Finish(answer)) => {
                let _ = answer.send(floor);
                return;
            }
        }
        if late {
            over = true;
            floor.release_all();
            tell_all(&ranks, &Told::Over);
        }
        floor.tick(now);
        act(&mut floor, &ranks);
    }
}

/// How many want each processor: so many turns it takes until somebody who can run has run. Those of this moment, or those of the last
/// minute if they were more: many of them sleep for a moment and are back in the next.
fn crowd() -> u32 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    wanted(&load).div_ceil(processors.max(1))
}

/// How many processors a text like `1.25 0.80 0.50 3/250 4711` says are wanted.
fn wanted(load: &str) -> u32 {
    let mut words = load.split([' ', '/']);
    let usual = words.next().and_then(|n| n.parse::<f64>().ok()).map_or(0, |n| n.round() as u32);
    let running = words.nth(2).and_then(|n| n.parse::<u32>().ok()).unwrap_or(1);
    running.max(usual)
}

fn listen(floor: &mut Floor, now: Duration, rank: u32, said: Said) {
    match said {
        Said::Hello { .. } => {}
        Said::Strand(strand, life) => floor.strand(now, strand, life),
        Said::Arrived(arrival) => floor.arrived(now, *arrival),
        Said::Completing(strand, operations) => floor.completing(now, strand, operations),
        Said::Passed(strand) => floor.passed(now, strand),
        Said::Late(strand) => floor.comes_late(now, strand),
        Said::Doing(strand, doing) => floor.doing(now, strand, doing),
        Said::Window(number, base) => floor.window(rank, number, base),
        Said::Bye => floor.leave(now, rank),
    }
}

/// The ways to the ranks.
type Ranks = BTreeMap<u32, mpsc::UnboundedSender<Told>>;

fn tell_all(ranks: &Ranks, told: &Told) {
    for to in ranks.values() {
        // One that is gone need not be told.
        let _ = to.send(told.clone());
    }
}

fn act(floor: &mut Floor, ranks: &Ranks) {
    for action in floor.actions() {
        // A rank that is gone needs no answer.
        match action {
            Action::Go { strand, missed, report } => {
                if let Some(to) = ranks.get(&strand.rank.0) {
                    let _ = to.send(Told::Go { strand, missed, report });
                }
            }
            Action::Watch(yes) => tell_all(ranks, &Told::Watch(yes)),
            Action::Off(places) => tell_all(ranks, &Told::Off(places)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_now_or_in_the_last_minute() {
        assert_eq!(wanted("1.25 0.80 0.50 3/250 4711\n"), 3);
        assert_eq!(wanted("6.51 0.80 0.50 3/250 4711\n"), 7);
        assert_eq!((wanted(""), wanted("x y z")), (1, 1));
    }
}
