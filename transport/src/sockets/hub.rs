//! The launcher's handle on the hub: a thread with a current-thread tokio runtime on it.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use tokio::{runtime, sync::mpsc as channel};

use super::{
    HubEvent,
    connection::{self, House},
    router::{Input, Router},
};
use crate::{token::Token, wire::DEFAULT_LIMIT};

/// Why there is no hub.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// A hub for nobody.
    #[error("a hub needs one rank at least")]
    NoRanks,
    /// No port.
    #[error("the hub cannot listen: {0}; check that the loopback interface is up, or THRILLE_ADDRESS if it is set")]
    Bind(io::Error),
    /// No runtime or no thread.
    #[error("the hub cannot start: {0}; check the limits on open files and threads (ulimit -n, ulimit -u)")]
    Start(io::Error),
}

/// What may be configured of a hub.
#[derive(Debug, Clone)]
pub struct HubOptions {
    /// The address of this machine to listen on: the loopback one, unless ranks are on other machines.
    pub address: IpAddr,
    /// How many bytes a rank may send in one round, in one note or as its last word, framing included.
    pub limit: u32,
    /// How long a client may take over the handshake.
    pub handshake_timeout: Duration,
    /// How often a rank that waits for others is told that the hub is alive.
    pub keep_alive: Duration,
}

impl Default for HubOptions {
    /// Loopback, 1 GiB, 10 seconds, 5 seconds.
    fn default() -> Self {
        let address = Ipv4Addr::LOCALHOST.into();
        Self {
            address,
            limit: DEFAULT_LIMIT,
            handshake_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(5),
        }
    }
}

/// The middle of the star. Dropped, it shuts down.
#[derive(Debug)]
pub struct Hub {
    addr: SocketAddr,
    events: mpsc::Receiver<HubEvent>,
    handle: HubHandle,
    thread: Option<thread::JoinHandle<()>>,
}

/// A way to tell the hub something from any thread.
#[derive(Debug, Clone)]
pub struct HubHandle {
    router: channel::UnboundedSender<Input>,
}

impl HubHandle {
    /// The process that was this rank is dead, even if somebody (a forked child) holds its socket open.
    ///
    /// What it had sent is still read. A rank that has left, or is gone already, stays as it is.
    pub fn lose(&self, rank: u32) {
        // A hub that is shut down has lost everybody.
        let _ = self.router.send(Input::Lose(rank));
    }
}

impl Hub {
    /// Starts a hub for `size` ranks on a free port of 127.0.0.1.
    pub fn start(size: u32, token: Token) -> Result<Self, HubError> {
        Self::start_with(size, token, HubOptions::default())
    }

    /// The same with other limits.
    pub fn start_with(size: u32, token: Token, options: HubOptions) -> Result<Self, HubError> {
        if size == 0 {
            return Err(HubError::NoRanks);
        }
        let listener = std::net::TcpListener::bind((options.address, 0)).map_err(HubError::Bind)?;
        let addr = listener.local_addr().map_err(HubError::Bind)?;
        listener.set_nonblocking(true).map_err(HubError::Bind)?;
        let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(HubError::Start)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(HubError::Bind)?
        };

        let (told, events) = mpsc::channel();
        let (router, inputs) = channel::unbounded_channel();
        let house = Arc::new(House { size, token, options: options.clone(), router: router.clone() });
        let serve = move || {
            runtime.block_on(async move {
                tokio::spawn(connection::accept(listener, house));
                Router::new(size, &options, told).run(inputs).await;
            });
        };
        let thread = thread::Builder::new().name("thrille-hub".into()).spawn(serve).map_err(HubError::Start)?;
        Ok(Self { addr, events, handle: HubHandle { router }, thread: Some(thread) })
    }

    /// Where clients connect to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What happens, in order. It ends when the hub does.
    pub fn events(&self) -> &mpsc::Receiver<HubEvent> {
        &self.events
    }

    /// See [`HubHandle::lose`].
    pub fn lose(&self, rank: u32) {
        self.handle.lose(rank);
    }

    /// A handle for other threads.
    pub fn handle(&self) -> HubHandle {
        self.handle.clone()
    }

    /// Tells the ranks that are still there, closes everything, and returns the events that nobody has read.
    pub fn shutdown(mut self) -> Vec<HubEvent> {
        self.stop();
        self.events.try_iter().collect()
    }

    fn stop(&mut self) {
        let _ = self.handle.router.send(Input::ShutDown);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.stop();
    }
}
