//! A rank's end of a socket: blocking, on `std` alone.
//!
//! Rules of this file, because it lives inside other people's programs: no thread, no signal, no panic, no wait without
//! a timeout. The socket is close-on-exec (`std` makes it so). Writes go through `write`, which `std` maps to
//! `send(MSG_NOSIGNAL)`; a vectored write would raise SIGPIPE. `EINTR` is retried. A forked child inherits the socket
//! and must not use it: every call compares process ids.
//!
//! The timeout of a read is not a bound on how long the other ranks may take: while a rank waits for them the hub says
//! every few seconds that it is alive.

use std::{
    io::{self, BufRead, BufReader, ErrorKind, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    process,
    time::{Duration, Instant},
};

use crate::{
    Transport, TransportError,
    message::{Inbox, Outbox},
    token::Token,
    wire::{Claim, DEFAULT_LIMIT, Decoder, Frame, WireError, greeting},
};

/// What is received at once, and below which messages are gathered before they are sent.
const BUFFER: usize = 64 << 10;

/// How often a rank that helps others while it waits does so.
const HELPS_EVERY: Duration = Duration::from_millis(1);

/// How patient a rank is.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// For the connection, for the handshake, and for the hub to acknowledge a last word.
    pub connect_timeout: Duration,
    /// How long the hub may give no sign of life in a round. Has to be well above [`crate::HubOptions::keep_alive`].
    pub silence_timeout: Duration,
}

impl Default for ClientOptions {
    /// 10 seconds to connect, 60 seconds of silence.
    fn default() -> Self {
        Self { connect_timeout: Duration::from_secs(10), silence_timeout: Duration::from_secs(60) }
    }
}

#[derive(Debug, Clone, Copy)]
enum State {
    Open,
    Left,
    Broken,
}

/// One rank's connection to the [`crate::Hub`]. Dropped without [`Transport::leave`], the rank counts as lost.
#[derive(Debug)]
pub struct SocketTransport {
    line: Line,
    size: u32,
    round: u64,
    limit: u32,
    state: State,
    options: ClientOptions,
    hurry: Option<Duration>,
}

impl SocketTransport {
    /// Connects to the hub and takes the seat of `rank` among `size`.
    pub fn connect(addr: SocketAddr, token: &Token, rank: u32, size: u32) -> Result<Self, TransportError> {
        Self::connect_with(addr, token, rank, size, ClientOptions::default())
    }

    /// The same with other timeouts.
    pub fn connect_with(
        addr: SocketAddr,
        token: &Token,
        rank: u32,
        size: u32,
        mut options: ClientOptions,
    ) -> Result<Self, TransportError> {
        // The system takes zero for "no timeout".
        options.connect_timeout = options.connect_timeout.max(Duration::from_millis(1));
        options.silence_timeout = options.silence_timeout.max(Duration::from_millis(1));
        let failed = |source| TransportError::Connect { rank, addr, source };
        let stream = TcpStream::connect_timeout(&addr, options.connect_timeout).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let mut line = Line {
            rank,
            addr,
            owner: process::id(),
            patience: options.connect_timeout,
            stream: BufReader::with_capacity(BUFFER, stream),
            decoder: Decoder::new(DEFAULT_LIMIT),
            scratch: Vec::new(),
            help: None,
        };
        line.wait_at_most(options.connect_timeout)?;
        let limit = line.shake_hands(token, size)?;
        line.wait_at_most(options.silence_timeout)?;
        line.decoder = Decoder::new(limit);
        Ok(Self { line, size, round: 0, limit, state: State::Open, options, hurry: None })
    }

    /// Has this called again and again while the others are waited for: they may need it to come.
    pub fn help_while_waiting(&mut self, help: fn()) -> Result<(), TransportError> {
        self.line.help = Some(help);
        self.line.wait_at_most(self.line.patience)
    }

    /// The hub's address.
    pub fn addr(&self) -> SocketAddr {
        self.line.addr
    }

    fn check_usable(&self) -> Result<(), TransportError> {
        let (rank, owner, child) = (self.line.rank, self.line.owner, process::id());
        if owner != child {
            return Err(TransportError::Forked { rank, owner, child });
        }
        match self.state {
            State::Open => Ok(()),
            State::Left => Err(TransportError::Left { rank }),
            State::Broken => Err(TransportError::Broken { rank }),
        }
    }

    fn check_limit(&self, bytes: u64) -> Result<(), TransportError> {
        let (rank, limit) = (self.line.rank, self.limit);
        if bytes > u64::from(limit) { Err(TransportError::TooLarge { rank, bytes, limit }) } else { Ok(()) }
    }

    /// Remembers that a failed connection is of no more use.
    fn keep<T>(&mut self, result: Result<T, TransportError>) -> Result<T, TransportError> {
        if result.is_err() {
            self.state = State::Broken;
        }
        result
    }
}

impl Transport for SocketTransport {
    fn rank(&self) -> u32 {
        self.line.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError> {
        self.check_usable()?;
        out.check_receivers(self.line.rank, self.size)?;
        let end = Frame::Round { round: self.round, all: out.all.as_slice() };
        let frames = || out.to.iter().map(|(rank, bytes)| Frame::To { rank: *rank, bytes: bytes.as_slice() });
        self.check_limit(frames().map(|frame| frame.wire_len()).sum::<u64>() + end.wire_len())?;
        let sent = self.line.send(frames().chain([end]), "speaking in a round");
        self.keep(sent)?;
        drop(out);
        let heard = self.line.hear(self.size, self.round, self.hurry);
        let inbox = self.keep(heard)?;
        self.round += 1;
        Ok(inbox)
    }

    fn leave(&mut self, last_word: &[u8]) -> Result<(), TransportError> {
        self.check_usable()?;
        let frame = Frame::Leave(last_word);
        self.check_limit(frame.wire_len())?;
        let patience = self.options.connect_timeout;
        let done = self.line.wait_at_most(patience).and_then(|()| self.line.take_leave(frame));
        self.keep(done)?;
        self.state = State::Left;
        let _ = self.line.stream.get_ref().shutdown(Shutdown::Both);
        Ok(())
    }

    fn hurry(&mut self, within: Duration) {
        self.hurry = Some(within);
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), TransportError> {
        self.check_usable()?;
        let frame = Frame::Note(bytes);
        self.check_limit(frame.wire_len())?;
        let sent = self.line.send([frame], "sending a note");
        self.keep(sent)
    }
}

impl Drop for SocketTransport {
    /// Ends the connection even if a forked child holds the socket too; a child ends only its own hold on it.
    fn drop(&mut self) {
        if self.line.owner == process::id() {
            let _ = self.line.stream.get_ref().shutdown(Shutdown::Both);
        }
    }
}

/// Frames over the socket, and errors that say whose and where.
#[derive(Debug)]
struct Line {
    rank: u32,
    addr: SocketAddr,
    owner: u32,
    patience: Duration,
    stream: BufReader<TcpStream>,
    decoder: Decoder,
    scratch: Vec<u8>,
    help: Option<fn()>,
}

impl Line {
    fn wait_at_most(&mut self, patience: Duration) -> Result<(), TransportError> {
        let stream = self.stream.get_ref();
        let at_once = if self.help.is_some() { patience.min(HELPS_EVERY) } else { patience };
        let set = stream.set_read_timeout(Some(at_once)).and_then(|()| stream.set_write_timeout(Some(patience)));
        self.patience = patience;
        set.map_err(|source| self.lost("setting a timeout", source))
    }

    /// The limit that the hub grants.
    fn shake_hands(&mut self, token: &Token, size: u32) -> Result<u32, TransportError> {
        let Self { rank, addr, .. } = *self;
        let hello = greeting(token, Claim { rank, size });
        let sent = self.stream.get_ref().write_all(&hello).map_err(|source| self.lost("greeting", source));
        let answer = sent.and_then(|()| self.receive("waiting to be let in"));
        match answer {
            Ok(Frame::Welcome { limit }) => Ok(limit),
            Ok(frame) => Err(self.unexpected(&frame)),
            Err(TransportError::Lost { .. }) => Err(TransportError::Dropped { rank, addr }),
            Err(error) => Err(error),
        }
    }

    fn take_leave(&mut self, last_word: Frame<&[u8]>) -> Result<(), TransportError> {
        self.send([last_word], "leaving")?;
        loop {
            match self.receive("waiting for the hub to take its last word")? {
                Frame::Alive => {}
                Frame::Farewell => return Ok(()),
                frame => return Err(self.unexpected(&frame)),
            }
        }
    }

    fn hear(&mut self, size: u32, round: u64, hurry: Option<Duration>) -> Result<Inbox, TransportError> {
        let mut inbox = Inbox { from: Vec::new(), all: vec![None; size as usize] };
        let end = hurry.map(|within| Instant::now() + within);
        loop {
            if let Some(end) = end {
                // The system takes zero for "no timeout".
                let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
                self.wait_at_most(left.min(self.patience))?;
            }
            let frame = match (self.receive("waiting for the other ranks in a round"), hurry) {
                (Err(TransportError::Silent { rank, .. }), Some(after)) => {
                    return Err(TransportError::Alone { rank, after });
                }
                (frame, _) => frame?,
            };
            match frame {
                Frame::Said { rank, bytes } if rank < size => inbox.all[rank as usize] = Some(bytes),
                Frame::From { rank, bytes } if rank < size => inbox.from.push((rank, bytes)),
                Frame::Turn { round: turned } if turned == round => return Ok(inbox),
                Frame::Alive => {}
                Frame::Farewell => return Err(TransportError::ShutDown { rank: self.rank, addr: self.addr }),
                frame => return Err(self.unexpected(&frame)),
            }
        }
    }

    /// Small frames are sent together, big bodies are not copied.
    fn send<'a>(
        &mut self,
        frames: impl IntoIterator<Item = Frame<&'a [u8]>>,
        doing: &'static str,
    ) -> Result<(), TransportError> {
        let mut stream = self.stream.get_ref();
        let scratch = &mut self.scratch;
        scratch.clear();
        let written = frames.into_iter().try_for_each(|frame| {
            frame.encode_head(scratch);
            let body = frame.body();
            if scratch.len() + body.len() <= BUFFER {
                scratch.extend_from_slice(body);
                return Ok(());
            }
            stream.write_all(scratch)?;
            scratch.clear();
            stream.write_all(body)
        });
        written.and_then(|()| stream.write_all(scratch)).map_err(|source| self.last_words(doing, source))
    }

    /// A hub that hangs up on a rank that is still speaking has said why before.
    fn last_words(&mut self, doing: &'static str, source: io::Error) -> TransportError {
        let (rank, addr) = (self.rank, self.addr);
        if is_timeout(&source) {
            return self.lost(doing, source);
        }
        loop {
            match self.receive(doing) {
                Ok(Frame::Farewell) => return TransportError::ShutDown { rank, addr },
                Ok(_) => {}
                Err(refused @ TransportError::Refused { .. }) => return refused,
                Err(_) => return self.lost(doing, source),
            }
        }
    }

    fn receive(&mut self, doing: &'static str) -> Result<Frame<Vec<u8>>, TransportError> {
        let (rank, addr) = (self.rank, self.addr);
        let begun = self.help.map(|_| Instant::now());
        loop {
            let buffered = match self.stream.fill_buf() {
                Ok([]) => return Err(self.lost(doing, ErrorKind::UnexpectedEof.into())),
                Ok(buffered) => buffered,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) && begun.is_some_and(|begun| begun.elapsed() < self.patience) => {
                    self.help.into_iter().for_each(|help| help());
                    continue;
                }
                Err(error) => return Err(self.lost(doing, error)),
            };
            let mut input = buffered;
            let frame = self.decoder.push(&mut input);
            let used = buffered.len() - input.len();
            self.stream.consume(used);
            match frame {
                Ok(None) => {}
                Ok(Some(Frame::Refused(why))) => {
                    let why = String::from_utf8_lossy(&why).into_owned();
                    return Err(TransportError::Refused { rank, addr, why });
                }
                Ok(Some(frame)) => return Ok(frame),
                Err(source) => return Err(TransportError::Wire { rank, addr, source }),
            }
        }
    }

    fn lost(&self, doing: &'static str, source: io::Error) -> TransportError {
        let Self { rank, addr, patience: after, .. } = *self;
        if is_timeout(&source) {
            TransportError::Silent { rank, addr, doing, after }
        } else {
            TransportError::Lost { rank, addr, doing, source }
        }
    }

    fn unexpected(&self, frame: &Frame<Vec<u8>>) -> TransportError {
        TransportError::Wire { rank: self.rank, addr: self.addr, source: WireError::Unexpected(frame.kind()) }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::{fs, thread};

    use super::*;
    use crate::Hub;

    fn connected() -> (Hub, SocketTransport) {
        let token = Token::random().unwrap();
        let hub = Hub::start(1, token.clone()).unwrap();
        let client = SocketTransport::connect(hub.addr(), &token, 0, 1).unwrap();
        (hub, client)
    }

    #[test]
    fn the_socket_is_not_inherited_and_does_not_delay() {
        let (_hub, client) = connected();
        let stream = client.line.stream.get_ref();
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", stream.as_raw_fd())).unwrap();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap().trim();
        assert_ne!(u32::from_str_radix(flags, 8).unwrap() & 0o2_000_000, 0, "O_CLOEXEC is not among {flags}");
        assert!(stream.nodelay().unwrap());
    }

    #[test]
    fn one_in_a_hurry_does_not_wait_for_those_who_never_come() {
        let token = Token::random().unwrap();
        let hub = Hub::start(2, token.clone()).unwrap();
        let mut client = SocketTransport::connect(hub.addr(), &token, 0, 2).unwrap();
        let _other = SocketTransport::connect(hub.addr(), &token, 1, 2).unwrap();
        client.hurry(Duration::from_millis(50));
        let begun = Instant::now();
        assert!(matches!(client.round(Outbox::new()), Err(TransportError::Alone { rank: 0, .. })));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn one_who_waits_helps_the_others_to_come() {
        static HELPED: AtomicU32 = AtomicU32::new(0);
        let token = Token::random().unwrap();
        let hub = Hub::start(2, token.clone()).unwrap();
        let connect = |rank| SocketTransport::connect(hub.addr(), &token, rank, 2).unwrap();
        let (mut client, mut other) = (connect(0), connect(1));
        client.help_while_waiting(|| _ = HELPED.fetch_add(1, Ordering::Relaxed)).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                while HELPED.load(Ordering::Relaxed) < 3 {
                    thread::yield_now();
                }
                other.round(Outbox::new()).unwrap();
            });
            client.round(Outbox::new()).unwrap();
        });
        client.hurry(Duration::from_millis(50));
        assert!(matches!(client.round(Outbox::new()), Err(TransportError::Alone { rank: 0, .. })));
    }

    #[test]
    fn a_forked_child_may_not_speak() {
        let (hub, mut client) = connected();
        client.line.owner = client.line.owner.wrapping_add(1);
        assert!(matches!(client.round(Outbox::new()), Err(TransportError::Forked { rank: 0, .. })));
        assert!(matches!(client.note(b""), Err(TransportError::Forked { .. })));
        assert!(matches!(client.leave(b""), Err(TransportError::Forked { .. })));
        client.line.owner = process::id();
        assert!(client.round(Outbox::new()).is_ok());
        drop(hub);
    }
}
