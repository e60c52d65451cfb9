//! The same rounds over MPI. Started by itself it starts `mpirun` with 1 to 4 copies of itself.

#[path = "common/script.rs"]
mod script;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};

use thrille_transport::{MpiTransport, Outbox, Transport, TransportError};

/// Tells a copy that it is one.
const COPY: &str = "THRILLE_TEST_RANK";
const ROUNDS: u64 = 500;

fn main() -> ExitCode {
    if std::env::var_os(COPY).is_some() {
        rank();
        return ExitCode::SUCCESS;
    }
    let own = std::env::current_exe().expect("this file");
    // Which of the two this was built with, by the name of its compiler.
    let mpicc = option_env!("MPICC").unwrap_or("mpicc");
    let mpirun = mpicc.replace("mpicc", "mpirun");
    for n in ["1", "2", "3", "4"] {
        let status = Command::new(&mpirun)
            .args(["-n", n])
            .arg(&own)
            .env(COPY, "1")
            .envs([
                ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
                ("OMPI_MCA_mpi_yield_when_idle", "1"),
                ("OMPI_MCA_hwloc_base_binding_policy", "none"),
                ("OMPI_MCA_oob_tcp_if_include", "lo"),
                ("OMPI_MCA_btl_tcp_if_include", "lo"),
                ("UCX_NET_DEVICES", "lo"),
                ("HYDRA_IFACE", "lo"),
            ])
            .status();
        match status {
            Ok(status) if status.success() => println!("test {n} ranks under {mpirun} ... ok"),
            other => {
                println!("test {n} ranks under {mpirun} ... FAILED: {other:?}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("test result: ok. 4 passed; 0 failed; 0 ignored");
    ExitCode::SUCCESS
}

fn rank() {
    let _universe = mpi::initialize().expect("the first to initialise");
    let mut me = MpiTransport::new();
    let (rank, size) = (me.rank(), me.size());
    for round in 0..ROUNDS {
        let heard = me.round(script::outbox(rank, size, round)).expect("a round");
        assert_eq!(heard, script::expected(rank, size, round, &BTreeSet::new()), "rank {rank}, round {round}");
    }
    for round in 0..ROUNDS {
        let heard = me.deal(script::script(rank, size, round).0, &script::numbers(rank, round)).expect("a round");
        assert_eq!(heard, script::dealt(rank, size, round), "rank {rank}, round {round} of numbers");
    }
    me.always_by_way();
    for round in 0..ROUNDS {
        let heard = me.deal(script::script(rank, size, round).0, &script::numbers(rank, round)).expect("a round");
        assert_eq!(heard, script::dealt(rank, size, round), "rank {rank}, round {round} by way of others");
    }
    assert!(me.deal(Vec::new(), &[7]).expect("a round without messages").from.is_empty());
    // Long words to everybody, large messages, nothing at all.
    let long = vec![rank as u8; 100_000 * (rank as usize + 1)];
    let heard = me.round(Outbox::new().all(long.clone()).to((rank + 1) % size, long)).expect("a round");
    let before = (rank + size - 1) % size;
    assert_eq!(heard.from, [(before, vec![before as u8; 100_000 * (before as usize + 1)])]);
    assert!((0..size).all(|r| heard.all[r as usize] == Some(vec![r as u8; 100_000 * (r as usize + 1)])));
    assert!(me.round(Outbox::new()).expect("a round").from.is_empty());
    assert!(matches!(me.round(Outbox::new().to(size, "nobody")), Err(TransportError::NoSuchRank { .. })));
    me.leave(b"").expect("to leave");
    assert!(matches!(me.round(Outbox::new()), Err(TransportError::Left { .. })));
}
