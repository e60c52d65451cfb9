//! Pipes, connections, files, queues and event counters: what is read was written before.
//!
//! Who reads the n-th byte, or message, of a pipe or connection comes after the write that it is of, not after those that have been made by now. Where it cannot be known which that is,
//! all of the same name are taken for it: of a file whatever was written to it before; of a socket that was connected by the name of a file, all that went the same way by that name; of what goes
//! through the buffers of a `FILE` all that was written. Who finds the end of a stream comes after all that was done to the other end.

use super::{signalled, waited_for_all};
use crate::objects::Object;
use crate::rank::{observe_program, unobserved};
use libc::{FILE, c_int, c_void, sockaddr, sockaddr_storage, socklen_t, ssize_t};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use thrille_model::{How, Rank, Segment, Word};

/// Names that no address has.
const COUNTERS: u64 = 1 << 63;

/// Which end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Where it is written to.
    In,
    /// Where it is read.
    Out,
}

/// What a name is of.
#[derive(Hash)]
enum Kind {
    Pipe,
    File,
    /// To the one of two sockets that were made as a pair.
    Paired,
    Tcp,
    Datagrams,
    /// By the name of a file, to the side that has it or to the other one.
    Local(bool),
    Listener,
    Queue,
}

/// What it is that something is written to or read of.
#[derive(Clone, Copy)]
enum Way {
    /// The bytes, or messages, come as they were written.
    Exact(Object, Unit),
    /// Which write was read cannot be known.
    Vague(Object),
    /// An event counter, of which a read takes all that was added: by a name in this process.
    Counter(u64),
}

/// What is counted of a stream.
#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Messages,
}

impl Unit {
    fn of(self, bytes: usize) -> u64 {
        match self {
            Self::Bytes => bytes as u64,
            Self::Messages => 1,
        }
    }
}

fn object(kind: Kind, name: impl Hash) -> Option<Object> {
    let mut hasher = FxHasher::default();
    (kind, name).hash(&mut hasher);
    let name = hasher.finish();
    Object::named(Word { owner: Rank(0), segment: Segment::File((name >> 32) as u32), offset: name & 0xffff_ffff })
}

/// The address of a socket.
struct Address {
    what: sockaddr_storage,
    len: usize,
}

impl Address {
    /// # Safety
    /// There is an address of that length, or none.
    unsafe fn new(at: *const sockaddr, len: socklen_t) -> Option<Self> {
        let len = (len as usize).min(size_of::<sockaddr_storage>());
        if at.is_null() || len < size_of::<libc::sa_family_t>() {
            return None;
        }
        // SAFETY: bytes of a structure of bytes, and as many as the caller says there are.
        unsafe {
            let mut what = std::mem::zeroed::<sockaddr_storage>();
            std::ptr::copy_nonoverlapping(at.cast::<u8>(), (&raw mut what).cast::<u8>(), len);
            Some(Self { what, len })
        }
    }

    /// Asks the system for that of one side of a socket.
    fn of(fd: c_int, ask: unsafe extern "C" fn(c_int, *mut sockaddr, *mut socklen_t) -> c_int) -> Option<Self> {
        // SAFETY: variables of our own, and their length.
        unsafe {
            let mut what = std::mem::zeroed::<sockaddr_storage>();
            let mut len = size_of::<sockaddr_storage>() as socklen_t;
            (ask(fd, (&raw mut what).cast(), &raw mut len) == 0).then_some(Self { what, len: len as usize })
        }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the structure is all bytes.
        unsafe {
            std::slice::from_raw_parts((&raw const self.what).cast(), self.len.min(size_of::<sockaddr_storage>()))
        }
    }

    /// The name of a local socket, as far as it has one.
    fn path(&self) -> Option<&[u8]> {
        let path = self.bytes().get(size_of::<libc::sa_family_t>()..)?;
        // One of a file may or may not be told with its last byte; one without begins with that byte.
        let end = path.iter().skip(1).position(|&byte| byte == 0).map_or(path.len(), |at| at + 1);
        let path = if path.first() == Some(&0) { path } else { &path[..end] };
        (!path.is_empty()).then_some(path)
    }

    /// Host and port, the same whichever family they are written in.
    fn port(&self) -> Option<([u8; 16], [u8; 2])> {
        let bytes = self.bytes();
        let port = bytes.get(2..4)?.try_into().ok()?;
        let mut host = [0; 16];
        match c_int::from(self.what.ss_family) {
            libc::AF_INET => {
                (host[10], host[11]) = (0xff, 0xff);
                host[12..].copy_from_slice(bytes.get(4..8)?);
            }
            libc::AF_INET6 => host.copy_from_slice(bytes.get(8..24)?),
            _ => return None,
        }
        Some((host, port))
    }
}

fn option(fd: c_int, which: c_int) -> c_int {
    let (mut value, mut len) = (-1, size_of::<c_int>() as socklen_t);
    // SAFETY: variables of our own, and their length.
    unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, which, (&raw mut value).cast(), &raw mut len) };
    value
}

/// What is behind a socket at this end; `other` is who is written to, or who wrote, where that is said with the message.
fn socket(fd: c_int, inode: u64, end: End, other: Option<&Address>) -> Option<Way> {
    let (family, kind) = (option(fd, libc::SO_DOMAIN), option(fd, libc::SO_TYPE));
    let unit = if kind == libc::SOCK_STREAM { Unit::Bytes } else { Unit::Messages };
    let here = Address::of(fd, libc::getsockname);
    let there = || Address::of(fd, libc::getpeername);
    if family == libc::AF_UNIX {
        let pair = object(Kind::Paired, inode)?;
        if pair.pair() != 0 {
            let way = if end == End::Out { pair } else { object(Kind::Paired, pair.pair())? };
            return Some(Way::Exact(way, unit));
        }
        let own = here.as_ref().and_then(Address::path);
        if kind == libc::SOCK_DGRAM {
            let there = if end == End::In && other.is_none() { there() } else { None };
            let to = if end == End::Out { own } else { other.or(there.as_ref()).and_then(Address::path) };
            return object(Kind::Local(true), to?).map(Way::Vague);
        }
        // The side that was listened at has the name, and the other one none.
        let (name, is_own) = match own {
            Some(own) => (own.to_vec(), true),
            None => (there()?.path()?.to_vec(), false),
        };
        return object(Kind::Local((end == End::Out) == is_own), name).map(Way::Vague);
    }
    let here = here?.port()?;
    if kind == libc::SOCK_STREAM {
        let there = there()?.port()?;
        let way = if end == End::In { (here, there) } else { (there, here) };
        return object(Kind::Tcp, way).map(|way| Way::Exact(way, unit));
    }
    let to = match (end, other) {
        (End::Out, _) => here,
        (End::In, Some(other)) => other.port()?,
        (End::In, None) => there()?.port()?,
    };
    // Who is bound to any address of the host is sent to by one of them.
    object(Kind::Datagrams, to.1).map(Way::Vague)
}

fn status(fd: c_int) -> Option<libc::stat> {
    // What a program prints may go to a pipe, of which it reads nothing.
    if fd <= libc::STDERR_FILENO {
        return None;
    }
    // SAFETY: asks the system, with a variable of our own.
    unsafe {
        let mut stat = std::mem::zeroed::<libc::stat>();
        (libc::fstat(fd, &raw mut stat) == 0).then_some(stat)
    }
}

/// What is behind a descriptor, at this end of it.
fn way(fd: c_int, end: End, other: Option<&Address>) -> Option<Way> {
    let stat = status(fd)?;
    match stat.st_mode & libc::S_IFMT {
        libc::S_IFIFO => object(Kind::Pipe, (stat.st_dev, stat.st_ino)).map(|pipe| Way::Exact(pipe, Unit::Bytes)),
        libc::S_IFREG => object(Kind::File, (stat.st_dev, stat.st_ino)).map(Way::Vague),
        libc::S_IFSOCK => socket(fd, stat.st_ino, end, other),
        // What has no file, as event counters.
        0 => Some(Way::Counter(COUNTERS | u64::from(fd.cast_unsigned()))),
        _ => None,
    }
}

fn tells(object: Object, count: impl FnOnce(&Object) -> u64) {
    if let Some(observed) = observe_program() {
        let mut rank = observed.session.rank();
        let version = count(&object);
        rank.signal(observed.recorder, object.word, version, How::Modify);
    }
}

fn learns(object: Object, count: impl FnOnce(&Object) -> u64) {
    if let Some(observed) = observe_program() {
        let mut rank = observed.session.rank();
        let version = count(&object);
        if version > 0 {
            rank.observe(observed.recorder, object.word, version);
        }
    }
}

/// Whether this thread is observed, and the program at work.
fn is_watched() -> bool {
    observe_program().is_some()
}

/// Writes so many bytes: others may read them before the call is over.
pub fn write(fd: c_int, bytes: usize, real: impl FnOnce() -> ssize_t) -> ssize_t {
    write_to(fd, bytes, None, real)
}

/// The same to somebody.
fn write_to(fd: c_int, bytes: usize, to: Option<&Address>, real: impl FnOnce() -> ssize_t) -> ssize_t {
    match if is_watched() { way(fd, End::In, to) } else { None } {
        Some(Way::Exact(stream, unit)) => {
            let much = unit.of(bytes);
            tells(stream, |stream| stream.writes(much));
            let written = real();
            let done = usize::try_from(written).map_or(0, |written| unit.of(written));
            stream.wrote(much.saturating_sub(done));
            written
        }
        Some(Way::Vague(stream)) => {
            tells(stream, Object::update);
            real()
        }
        Some(Way::Counter(name)) => {
            signalled(name as *const _);
            real()
        }
        None => real(),
    }
}

/// Has read so many bytes, or only looked at them.
pub fn read(fd: c_int, n: ssize_t, only_looks: bool) {
    let Ok(n) = usize::try_from(n) else { return };
    match if is_watched() { way(fd, End::Out, None) } else { None } {
        Some(Way::Exact(stream, Unit::Bytes)) if n == 0 => learns(stream, Object::version),
        Some(Way::Exact(stream, unit)) => learns(stream, |stream| stream.reads(unit.of(n), only_looks)),
        Some(Way::Vague(stream)) => learns(stream, Object::version),
        Some(Way::Counter(name)) => waited_for_all(name as *const _),
        None => {}
    }
}

/// Sends so many bytes, to this address if one is given.
///
/// # Safety
/// It is there, in that length.
pub unsafe fn send(fd: c_int, bytes: usize, to: (*const c_void, socklen_t), real: impl FnOnce() -> ssize_t) -> ssize_t {
    // SAFETY: the caller's.
    let to = unsafe { Address::new(to.0.cast(), to.1) };
    write_to(fd, bytes, to.as_ref(), real)
}

/// This end is closed, or will write nothing more: who finds that comes after it.
pub fn ends(fd: c_int) {
    let is_stream = |stat: libc::stat| matches!(stat.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK);
    if is_watched()
        && status(fd).is_some_and(is_stream)
        && let Some(Way::Exact(stream, _) | Way::Vague(stream)) = way(fd, End::In, None)
    {
        tells(stream, Object::update);
    }
}

/// Two sockets are made as a pair.
pub fn paired(fds: [c_int; 2]) {
    if let [Some(a), Some(b)] = fds.map(status) {
        for (one, other) in [(a, b), (b, a)] {
            if let Some(object) = object(Kind::Paired, one.st_ino) {
                object.is_paired_with(other.st_ino);
            }
        }
    }
}

/// The name by which a socket is listened at.
fn listener(fd: c_int, to: Option<Address>) -> Option<Object> {
    let at = to.or_else(|| Address::of(fd, libc::getsockname))?;
    if c_int::from(at.what.ss_family) == libc::AF_UNIX {
        object(Kind::Listener, at.path()?)
    } else {
        object(Kind::Listener, at.port()?.1)
    }
}

/// Connects to an address: who accepts that comes after it.
///
/// # Safety
/// It is there, in that length.
pub unsafe fn connects(fd: c_int, at: *const sockaddr, len: socklen_t) {
    // SAFETY: the caller's.
    if let Some(listener) =
        is_watched().then(|| unsafe { Address::new(at, len) }).flatten().and_then(|to| listener(fd, Some(to)))
    {
        tells(listener, Object::update);
    }
}

/// A connection was accepted at this socket.
pub fn accepted(fd: c_int) {
    if let Some(listener) = is_watched().then(|| listener(fd, None)).flatten() {
        learns(listener, Object::version);
    }
}

/// What the system knows by this number: a queue of messages, a set of semaphores.
pub fn queue(kind: &'static str, id: c_int) -> Option<Object> {
    is_watched().then(|| object(Kind::Queue, (kind, id))).flatten()
}

/// A queue that is a file.
pub fn queue_file(fd: c_int) -> Option<Object> {
    let stat = status(fd).filter(|_| is_watched())?;
    object(Kind::File, (stat.st_dev, stat.st_ino))
}

/// Something is about to be put into it, or given back.
pub fn puts(queue: Option<Object>) {
    if let Some(queue) = queue {
        tells(queue, Object::update);
    }
}

/// Something was taken of it.
pub fn took(queue: Option<Object>) {
    if let Some(queue) = queue {
        learns(queue, Object::version);
    }
}

/// Something, nobody knows how much, is written to this descriptor.
pub fn prints_at_once(fd: c_int) {
    match if is_watched() { way(fd, End::In, None) } else { None } {
        Some(Way::Exact(stream, _) | Way::Vague(stream)) => {
            stream.is_vague();
            tells(stream, Object::update);
        }
        Some(Way::Counter(_)) | None => {}
    }
}

/// What is written to a `FILE` is, from now on, where others may read it.
pub fn flushes(file: *mut FILE) {
    if !file.is_null() {
        // SAFETY: the program's own, which is open.
        prints_at_once(unsafe { libc::fileno(file) });
    }
}

unsafe extern "C" {
    fn __flbf(file: *mut FILE) -> c_int;
    fn __fbufsize(file: *mut FILE) -> usize;
}

/// Something is written to a `FILE`, which keeps it back or not.
pub fn prints(file: *mut FILE) {
    // SAFETY: the program's own, which is open.
    let at_once = |file| unsafe { __flbf(file) != 0 || __fbufsize(file) <= 1 };
    // SAFETY: as above.
    if !file.is_null() && unsafe { libc::fileno(file) } > libc::STDERR_FILENO && at_once(file) {
        flushes(file);
    }
}

/// Something was read of a `FILE`, with what comes behind it or without.
pub fn scanned(file: *mut FILE) {
    // SAFETY: the program's own, which is open.
    match if file.is_null() || !is_watched() { None } else { way(unsafe { libc::fileno(file) }, End::Out, None) } {
        Some(Way::Exact(stream, _) | Way::Vague(stream)) => {
            stream.is_vague();
            learns(stream, Object::version);
        }
        Some(Way::Counter(_)) | None => {}
    }
}

/// As a lock of the file behind a descriptor.
pub fn file_lock(fd: c_int) -> Option<Object> {
    let stat = unobserved(|| status(fd))?;
    // The lock is not what is written to the file.
    object(Kind::File, (stat.st_dev, stat.st_ino, "lock"))
}
