//! Tasks inside a rank: which of two accesses may run in parallel, whatever the schedule, from one run.
//!
//! The program runs its tasks depth first, on one thread: a task runs to its end where it is created. Everything that the parallel program
//! could do in some schedule of the same task graph can be told from that run (for async-finish and fork-join programs). [`pint`] tells the same from a
//! run on several threads.
//!
//! A detector has two parts: *reachability* says whether an earlier access is parallel to what runs now; the *cells* remember, of each byte,
//! who accessed it last.
//!
//! | file | has |
//! |---|---|
//! | `event.rs` | [`Event`], what a detector is told; [`Reach`], the part that follows the task graph |
//! | `bags.rs` | [`Forest`], disjoint sets that are serial or parallel |
//! | `esp_bags.rs` | [`EspBags`]: reachability by S and P bags |
//! | `order.rs` | [`OrderList`], order maintenance |
//! | `sp_order.rs` | [`SpOrder`]: reachability by the English and the Hebrew order |
//! | `guard.rs` | [`Guards`]: what keeps two accesses apart without ordering them: `isolated`, critical sections, atomics |
//! | `cells.rs` | [`Cells`], and its three kinds: pages of intervals (`pages.rs`), interval treaps, and pages of bytes (`shadow.rs`) |
//! | `rows.rs` | [`Row`]: reads at equally spaced places, kept apart until somebody asks |
//! | `detector.rs` | [`Detector`]: the rules for reads and writes, over any of both |
//! | `strand.rs` | [`Strand`]: accesses of a strand, coalesced until it ends |
//! | `serial.rs` | [`Serial`]: for Rust programs, and for trying things out |
//! | [`pint`] | the program runs in parallel: WSP-order, traces of strands, three treap workers |
//! | `mode.rs` | [`Mode`]: the combinations that have a name, chosen at run time |

mod bags;
mod cells;
mod detector;
mod esp_bags;
mod event;
mod guard;
mod mode;
mod order;
mod pages;
mod parts;
pub mod pint;
mod rows;
mod serial;
mod shadow;
mod sp_order;
mod strand;

pub use bags::{Bag, Forest};
pub use cells::{Cells, Entry, Treaps};
pub use detector::{Access, Detector, Race, Side, SiteId, Touch};
pub use esp_bags::EspBags;
pub use event::{End, Event, Mark, Misnested, Reach};
pub use guard::{Atomicity, Guard, Guards};
pub use mode::{AnyDetector, Mode, UnknownMode};
pub use order::{Labels, Node, OrderList};
pub use pages::Pages;
pub use rows::{Row, Rowing};
pub use serial::{Place, Serial, SerialRace};
pub use shadow::Shadow;
pub use sp_order::SpOrder;
pub use strand::Strand;
