//! Which loads and stores to look at. No foreign interface: the injected library asks, and says what it found.
//!
//! | module | is |
//! |---|---|
//! | [`name`] | policies by their names: `HA.5`, `FA0`, `IA`, ...; parsed, checked, printed |
//! | [`policy`] | what a policy is: two chances, of a call of a function and of an access, given what was taken before |
//! | [`policies`] | one file each: those of UPC-Thrille, and those it names as future work |
//! | [`chance`] | probabilities, as logarithms: exponential back-off never runs out of digits |
//! | [`gaps`] | how many executions to let pass, drawn once instead of a coin for each |
//! | [`locality`] | the cache of what touches private memory only |
//! | [`kinds`] | kinds of phases: each site is looked at in each of them |
//! | [`budget`] | `5%`, checked |
//! | [`controller`] | keeps the cost within the budget |
//! | [`sampler`] | the above for one thread: sites and functions by their code addresses, the access path |
//! | [`dense`] | the same where the compiler has numbered functions, blocks and sites, and counts down itself |
//! | [`coverage`] | what was looked at, by function |
//!
//! What one-sided operations, messages and other calls order is not asked about: it is always observed. What they touch is asked about when a budget is used up.
//!
//! After C. Park, K. Sen and C. Iancu, *Scaling data race detection for partitioned global address space programs* (ICS 2013). Where this
//! deviates, and why, is said in the modules; `docs/SAMPLING.md` says what it means for who uses it.

pub mod budget;
pub mod chance;
pub mod controller;
pub mod coverage;
pub mod dense;
pub mod gaps;
pub mod kinds;
pub mod locality;
pub mod name;
pub mod policies;
pub mod policy;
pub mod sampler;
mod turn;

pub use budget::{Budget, BudgetError};
pub use chance::{Chance, Factor};
pub use controller::Controller;
pub use coverage::{Coverage, FunctionCoverage};
pub use dense::Dense;
pub use gaps::Gaps;
pub use locality::Locality;
pub use name::{Name, NameError, Sampling};
pub use policy::{History, Policy};
pub use sampler::{Entry, Look, Sampler, Taken};
