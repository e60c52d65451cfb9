//! How many empty rounds a second: `cargo run --release -p thrille-transport --example rounds_per_second [ranks]`.

use std::{
    thread,
    time::{Duration, Instant},
};

use thrille_transport::{Hub, Outbox, SocketTransport, Token, Transport, local};

const AT_LEAST: Duration = Duration::from_secs(2);

/// Rank 0 watches the clock and says when the last round is.
fn run<T: Transport + Send>(ranks: Vec<T>, message: usize) -> f64 {
    let begin = Instant::now();
    let rounds = thread::scope(|scope| {
        let rank = |mut me: T| {
            let mut rounds = 0_u64;
            loop {
                let stop = me.rank() == 0 && begin.elapsed() > AT_LEAST;
                let mut out = Outbox::new().all(if stop { &b"x"[..] } else { b"" });
                if message > 0 {
                    (0..me.size()).for_each(|to| out.send(to, vec![0; message]));
                }
                let inbox = me.round(out).expect("a round");
                rounds += 1;
                if inbox.all[0].as_ref().is_none_or(|said| !said.is_empty()) {
                    return rounds;
                }
            }
        };
        let threads: Vec<_> = ranks.into_iter().map(|me| scope.spawn(move || rank(me))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).max().unwrap_or(0)
    });
    rounds as f64 / begin.elapsed().as_secs_f64()
}

fn sockets(size: u32) -> (Hub, Vec<SocketTransport>) {
    let token = Token::random().expect("a token");
    let hub = Hub::start(size, token.clone()).expect("a hub");
    let ranks = (0..size).map(|rank| SocketTransport::connect(hub.addr(), &token, rank, size).expect("a rank"));
    let ranks = ranks.collect();
    (hub, ranks)
}

fn main() {
    let size = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(8);
    println!("local    {size} ranks, empty: {:>9.0} rounds/s", run(local(size), 0));
    let (_hub, ranks) = sockets(size);
    println!("sockets  {size} ranks, empty: {:>9.0} rounds/s", run(ranks, 0));
    let (_hub, ranks) = sockets(size);
    let rate = run(ranks, 1 << 20);
    let megabytes = rate * f64::from(size * size);
    println!("sockets  {size} ranks, 1 MiB to each: {rate:.1} rounds/s, {megabytes:.0} MiB/s");
}
