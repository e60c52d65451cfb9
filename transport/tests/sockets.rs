//! The hub against clients that are late, dead, confused or hostile; and clients against a hub that is gone.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use thrille_transport::{
    ClientOptions, Hub, HubEvent, HubOptions, Outbox, Refusal, SocketTransport, Token, Transport, TransportError,
    WireError,
};

const SOON: Duration = Duration::from_secs(20);

fn hub(size: u32) -> (Hub, Token) {
    hub_with(size, HubOptions::default())
}

fn hub_with(size: u32, options: HubOptions) -> (Hub, Token) {
    let token = Token::random().unwrap();
    (Hub::start_with(size, token.clone(), options).unwrap(), token)
}

fn join(hub: &Hub, token: &Token, rank: u32, size: u32) -> SocketTransport {
    let client = SocketTransport::connect(hub.addr(), token, rank, size).unwrap();
    assert_eq!(next(hub), HubEvent::Joined(rank));
    client
}

fn next(hub: &Hub) -> HubEvent {
    hub.events().recv_timeout(SOON).expect("an event")
}

fn refusal(hub: &Hub) -> Refusal {
    match next(hub) {
        HubEvent::Refused(peer, why) => {
            assert!(peer.ip().is_loopback());
            why
        }
        other => panic!("{other:?}"),
    }
}

/// The wire format once more, by hand: a change of it does not go unnoticed.
fn greeting(token: &Token, rank: u32, size: u32) -> Vec<u8> {
    let hex = token.to_string();
    let secret = (0..32).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap());
    let mut bytes = b"THRILLE\n\x01\0\0\0".to_vec();
    bytes.extend(secret);
    bytes.extend(rank.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes
}

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_le_bytes()[..], &[kind], payload].concat()
}

fn round(number: u64, all: &[u8]) -> Vec<u8> {
    frame(2, &[&number.to_le_bytes()[..], all].concat())
}

fn raw(addr: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

/// A client that speaks by hand, welcomed.
fn raw_rank(hub: &Hub, token: &Token, rank: u32, size: u32) -> TcpStream {
    let mut stream = raw(hub.addr(), &greeting(token, rank, size));
    let mut welcome = [0; 9];
    stream.read_exact(&mut welcome).unwrap();
    assert_eq!(welcome[..5], [4, 0, 0, 0, 16]);
    assert_eq!(next(hub), HubEvent::Joined(rank));
    stream
}

/// All that comes until the hub hangs up.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    bytes
}

/// A well-behaved rank still gets its rounds.
fn still_works(hub: &Hub, token: &Token) {
    let mut client = join(hub, token, 0, 1);
    assert_eq!(client.round(Outbox::new().all("x")).unwrap().all, [Some(b"x".to_vec())]);
}

#[test]
fn wrong_token() {
    let (hub, token) = hub(1);
    let error = SocketTransport::connect(hub.addr(), &Token::random().unwrap(), 0, 1).unwrap_err();
    assert!(matches!(error, TransportError::Dropped { rank: 0, .. }), "{error}");
    assert_eq!(refusal(&hub), Refusal::WrongToken);
    // The token alone decides: the claim is not waited for, and there is no answer.
    let mut bytes = greeting(&token, 0, 1);
    bytes.truncate(44);
    bytes[43] ^= 1;
    assert!(rest(raw(hub.addr(), &bytes)).is_empty());
    assert_eq!(refusal(&hub), Refusal::WrongToken);
    still_works(&hub, &token);
}

#[test]
fn wrong_version() {
    let (hub, token) = hub(1);
    let mut bytes = greeting(&token, 0, 1);
    bytes[8] = 9;
    assert!(rest(raw(hub.addr(), &bytes)).is_empty());
    assert_eq!(refusal(&hub), Refusal::WrongVersion { theirs: 9, ours: 1 });
    still_works(&hub, &token);
}

#[test]
fn garbage_instead_of_a_greeting() {
    let (hub, token) = hub_with(1, HubOptions { handshake_timeout: Duration::from_millis(100), ..Default::default() });
    assert!(rest(raw(hub.addr(), b"GET / HTTP/1.1\r\n\r\n")).is_empty());
    assert_eq!(refusal(&hub), Refusal::NotOurs);
    drop(raw(hub.addr(), b"THR"));
    assert_eq!(refusal(&hub), Refusal::NoHandshake);
    let _mute = raw(hub.addr(), b"");
    assert_eq!(refusal(&hub), Refusal::NoHandshake);
    still_works(&hub, &token);
}

#[test]
fn garbage_instead_of_a_frame() {
    for (bytes, why) in [
        (frame(77, b"what"), WireError::UnknownKind(77)),
        (frame(1, b"abc"), WireError::WrongLength(1)),
        (frame(19, &[0; 8]), WireError::Unexpected(19)),
    ] {
        let (hub, token) = hub(2);
        let mut good = join(&hub, &token, 0, 2);
        let mut bad = raw_rank(&hub, &token, 1, 2);
        bad.write_all(&bytes).unwrap();
        assert_eq!(refusal(&hub), Refusal::Wire(why));
        assert_eq!(next(&hub), HubEvent::Lost(1));
        assert_eq!(good.round(Outbox::new()).unwrap().all, [Some(vec![]), None]);
        let answer = rest(bad);
        assert_eq!(answer[4], 21);
        assert!(String::from_utf8_lossy(&answer).contains(&why.to_string()));
    }
}

#[test]
fn claims_that_cannot_be_granted() {
    let (hub, token) = hub(2);
    let refused = |rank, size| match SocketTransport::connect(hub.addr(), &token, rank, size).unwrap_err() {
        TransportError::Refused { why, .. } => {
            let event = refusal(&hub);
            assert_eq!(event.to_string(), why);
            event
        }
        other => panic!("{other}"),
    };
    assert_eq!(refused(2, 2), Refusal::NoSuchRank { rank: 2, size: 2 });
    assert_eq!(refused(0, 3), Refusal::WrongSize { theirs: 3, ours: 2 });
    let mut zero = join(&hub, &token, 0, 2);
    assert_eq!(refused(0, 2), Refusal::Taken(0));
    hub.lose(1);
    assert_eq!(next(&hub), HubEvent::Lost(1));
    assert_eq!(refused(1, 2), Refusal::Gone(1));
    assert_eq!(zero.round(Outbox::new()).unwrap().all, [Some(vec![]), None]);
    zero.leave(b"bye").unwrap();
    assert_eq!(next(&hub), HubEvent::Left(0, b"bye".to_vec()));
    assert_eq!(refused(0, 2), Refusal::Gone(0));
}

#[test]
fn two_clients_race_for_one_rank_and_one_gets_it() {
    let (hub, token) = hub(1);
    let addr = hub.addr();
    let joined: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| SocketTransport::connect(addr, &token, 0, 1))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap().ok()).collect()
    });
    assert_eq!(joined.len(), 1);
}

#[test]
fn an_oversized_frame_is_refused_by_its_length_alone() {
    let (hub, token) = hub_with(1, HubOptions { limit: 1000, ..Default::default() });
    let mut bad = raw_rank(&hub, &token, 0, 1);
    bad.write_all(b"\xe9\x03\0\0\x03").unwrap();
    assert_eq!(refusal(&hub), Refusal::Wire(WireError::TooLong { length: 1001, limit: 1000 }));
    assert_eq!(next(&hub), HubEvent::Lost(0));
}

#[test]
fn the_limit_holds_for_the_frames_of_a_round_together() {
    let (hub, token) = hub_with(2, HubOptions { limit: 1000, ..Default::default() });
    let mut good = join(&hub, &token, 0, 2);
    let mut bad = raw_rank(&hub, &token, 1, 2);
    // A client knows the limit, and may try again with less.
    let error = good.round(Outbox::new().to(0, vec![0; 500]).to(1, vec![0; 500])).unwrap_err();
    assert!(matches!(error, TransportError::TooLarge { rank: 0, bytes: 1031, limit: 1000 }), "{error}");
    assert!(matches!(good.note(&[0; 1000]), Err(TransportError::TooLarge { .. })));
    for _ in 0..3 {
        bad.write_all(&frame(1, &[0; 400])).unwrap();
    }
    assert_eq!(refusal(&hub), Refusal::TooMuch(1000));
    assert_eq!(next(&hub), HubEvent::Lost(1));
    assert_eq!(good.round(Outbox::new().to(0, vec![1; 900])).unwrap().from, [(0, vec![1; 900])]);
}

#[test]
fn out_of_step_is_refused() {
    for rounds in [round(1, b""), [round(0, b""), round(0, b"")].concat()] {
        let (hub, token) = hub(2);
        let mut good = join(&hub, &token, 0, 2);
        let mut bad = raw_rank(&hub, &token, 1, 2);
        bad.write_all(&rounds).unwrap();
        assert!(matches!(refusal(&hub), Refusal::OutOfStep { rank: 1, current: 0, .. }));
        assert_eq!(next(&hub), HubEvent::Lost(1));
        assert_eq!(good.round(Outbox::new()).unwrap().all, [Some(vec![]), None]);
    }
}

/// Half an outbox, or a whole one in a round that has not turned: nobody hears any of it.
#[test]
fn lost_while_or_after_speaking() {
    let message = frame(1, b"\0\0\0\0unheard");
    for bytes in [message.clone(), [&message[..], &round(0, b"unheard")].concat(), message[..7].to_vec()] {
        let (hub, token) = hub(2);
        let mut good = join(&hub, &token, 0, 2);
        let mut dying = raw_rank(&hub, &token, 1, 2);
        dying.write_all(&bytes).unwrap();
        drop(dying);
        assert_eq!(next(&hub), HubEvent::Lost(1));
        let inbox = good.round(Outbox::new().to(1, "too late").all("here")).unwrap();
        assert_eq!((inbox.from, inbox.all), (vec![], vec![Some(b"here".to_vec()), None]));
    }
}

/// The launcher knows that the process is dead; a forked child keeps the socket open.
#[test]
fn the_launcher_loses_a_rank_that_others_wait_for() {
    let (hub, token) = hub(2);
    let mut good = join(&hub, &token, 0, 2);
    let mut dead = join(&hub, &token, 1, 2);
    dead.note(b"last note").unwrap();
    let handle = hub.handle();
    let launcher = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        handle.lose(1);
        handle.lose(1);
        handle.lose(99);
    });
    assert_eq!(good.round(Outbox::new()).unwrap().all, [Some(vec![]), None]);
    launcher.join().unwrap();
    assert_eq!(next(&hub), HubEvent::Note(1, b"last note".to_vec()));
    assert_eq!(next(&hub), HubEvent::Lost(1));
    let error = dead.round(Outbox::new()).unwrap_err();
    assert!(matches!(error, TransportError::Lost { rank: 1, .. }), "{error}");
    assert!(matches!(dead.round(Outbox::new()), Err(TransportError::Broken { rank: 1 })));
    good.round(Outbox::new()).unwrap();
    assert_eq!(hub.shutdown(), []);
}

/// What a process sent before it died is not lost with it, even if the launcher is quicker than the hub.
#[test]
fn notes_sent_before_death_are_read() {
    let (hub, token) = hub(1);
    let mut dead = join(&hub, &token, 0, 1);
    for _ in 0..50 {
        dead.note(&[7; 10_000]).unwrap();
    }
    hub.lose(0);
    for _ in 0..50 {
        assert_eq!(next(&hub), HubEvent::Note(0, vec![7; 10_000]));
    }
    assert_eq!(next(&hub), HubEvent::Lost(0));
}

#[test]
fn the_last_word_is_there_when_leave_returns() {
    let (hub, token) = hub(1);
    let mut client = join(&hub, &token, 0, 1);
    client.leave(&vec![1; 100_000]).unwrap();
    hub.lose(0);
    assert_eq!(hub.events().try_recv(), Ok(HubEvent::Left(0, vec![1; 100_000])));
    assert_eq!(hub.shutdown(), []);
}

#[test]
fn shut_down_while_clients_wait() {
    let (hub, token) = hub(3);
    let clients = [join(&hub, &token, 0, 3), join(&hub, &token, 1, 3)];
    let waiting = clients.map(|mut client| thread::spawn(move || client.round(Outbox::new()).unwrap_err()));
    thread::sleep(Duration::from_millis(50));
    let before = Instant::now();
    assert_eq!(hub.shutdown(), []);
    for (rank, thread) in waiting.into_iter().enumerate() {
        let error = thread.join().unwrap();
        assert!(matches!(error, TransportError::ShutDown { rank: who, .. } if who as usize == rank), "{error}");
    }
    assert!(before.elapsed() < Duration::from_secs(5));
}

#[test]
fn shut_down_before_a_client_speaks() {
    let (hub, token) = hub(1);
    let mut client = join(&hub, &token, 0, 1);
    hub.shutdown();
    let error = client.round(Outbox::new().to(0, vec![0; 8 << 20])).unwrap_err();
    assert!(matches!(error, TransportError::ShutDown { rank: 0, .. }), "{error}");
}

#[test]
fn no_hub_at_all() {
    let addr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = SocketTransport::connect(addr, &Token::random().unwrap(), 3, 4).unwrap_err();
    assert!(matches!(error, TransportError::Connect { rank: 3, .. }));
    assert!(error.to_string().contains(&addr.to_string()) && error.to_string().contains("rank 3"));
}

#[test]
fn a_hub_that_never_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = ClientOptions { connect_timeout: Duration::from_millis(50), ..Default::default() };
    let token = Token::random().unwrap();
    let error = SocketTransport::connect_with(listener.local_addr().unwrap(), &token, 0, 1, options).unwrap_err();
    assert!(matches!(error, TransportError::Silent { rank: 0, .. }), "{error}");
}

/// Ranks that take their time are no reason to give the hub up; a hub without a sign of life is.
#[test]
fn slow_ranks_are_waited_for_and_a_mute_hub_is_not() {
    let patience = ClientOptions { silence_timeout: Duration::from_millis(200), ..Default::default() };
    for (keep_alive, alive) in [(Duration::from_millis(20), true), (Duration::from_secs(60), false)] {
        let (hub, token) = hub_with(2, HubOptions { keep_alive, ..Default::default() });
        let mut quick = SocketTransport::connect_with(hub.addr(), &token, 0, 2, patience.clone()).unwrap();
        let mut slow = SocketTransport::connect(hub.addr(), &token, 1, 2).unwrap();
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_millis(600));
            slow.round(Outbox::new()).unwrap();
        });
        match quick.round(Outbox::new()) {
            Ok(_) => assert!(alive),
            Err(error) => assert!(!alive && matches!(error, TransportError::Silent { .. }), "{error}"),
        }
        drop(quick);
        thread.join().unwrap();
    }
}

#[test]
fn a_lying_hub_does_no_harm() {
    let welcome = frame(16, &1000_u32.to_le_bytes());
    for answer in [
        frame(17, b"\xff\xff\xff\xffx"),
        frame(18, b"\x01\0\0\0x"),
        frame(19, &[9; 8]),
        frame(200, b""),
        b"\xff\xff\xff\xff\x11".to_vec(),
        frame(1, b"\0\0\0\0"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let bytes = [&welcome[..], &answer].concat();
        let liar = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&bytes).unwrap();
            rest(stream);
        });
        let mut client = SocketTransport::connect(addr, &Token::random().unwrap(), 0, 1).unwrap();
        let error = client.round(Outbox::new()).unwrap_err();
        assert!(matches!(error, TransportError::Wire { rank: 0, .. }), "{error}");
        drop(client);
        liar.join().unwrap();
    }
}
