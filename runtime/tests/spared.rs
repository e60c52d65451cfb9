//! Memory that is not the program's to tell of, while a library calls it back.

use thrille_model::{Act, Interval, Kind, Rank, Segment};
use thrille_runtime::{Modules, Recorder, Region, Regions};

fn touch(recorder: &mut Recorder, address: u64) -> u64 {
    let before = recorder.observed;
    let _ = recorder.touch(address, 8, Kind::Write, Act::Store, 7);
    recorder.observed - before
}

#[test]
fn what_is_spared_is_not_recorded() {
    let region = Region { start: 0x1000, end: 0x2000, owner: Rank(0), segment: Segment::Heap, offset: 0 };
    let (_rank, mut recorder) =
        thrille_runtime::Rank::new(Rank(0), Regions::new(vec![region]), Modules::new(Vec::new), 1 << 10);
    assert_eq!(touch(&mut recorder, 0x1000), 1);
    assert!(recorder.spare(vec![Interval::from_bounds(0x1010, 0x1020).unwrap()]).is_empty());
    // A line that goes on from one element to the next, into what is spared and out of it; and one that reaches into it.
    let told = [0x1008, 0x1010, 0x1018, 0x1020, 0x100c].map(|address| touch(&mut recorder, address));
    assert_eq!(told, [1, 0, 0, 1, 0]);
    assert_eq!(recorder.spare(Vec::new()).len(), 1);
    assert_eq!(touch(&mut recorder, 0x1010), 1);
}
