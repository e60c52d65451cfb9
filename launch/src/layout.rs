//! Where things are in the memory file of a job. Every number here is computed from `npes` and the heap size alone, so
//! that launcher and PEs agree without talking.

/// Page size of the one platform this library maps pages on.
pub const PAGE: usize = 4096;
/// Symmetric heaps begin at multiples of this, in every PE: so the largest alignment that `shmem_align` can give.
pub const HEAP_ALIGN: usize = 2 << 20;
/// First word of the file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"thrlshm\0");
/// Changes with every change of the layout.
pub const VERSION: u32 = 1;
/// Teams that may exist at the same time in a job, the two predefined ones included.
pub const SLOTS: usize = 1024;
/// Bytes of the state of one PE.
pub(crate) const PE_BYTES: usize = 64;
/// Bytes of a slot before its mailboxes.
pub(crate) const SLOT_HEAD: usize = 64;

/// `n` rounded up to whole pages.
pub const fn pages(n: usize) -> usize {
    n.next_multiple_of(PAGE)
}

/// Where the per-PE states begin.
pub(crate) const fn pes_at() -> usize {
    PAGE
}

/// Where the synchronisation slots begin.
pub(crate) const fn slots_at(npes: usize) -> usize {
    pes_at() + pages(npes * PE_BYTES)
}

/// Bytes of one slot: its head and one mailbox of eight bytes a PE.
pub(crate) const fn slot_bytes(npes: usize) -> usize {
    (SLOT_HEAD + 8 * npes).next_multiple_of(64)
}

/// Bytes of the control area.
pub const fn control_bytes(npes: usize) -> usize {
    slots_at(npes) + pages(SLOTS * slot_bytes(npes))
}

/// Where the symmetric heaps begin.
pub const fn heaps_at(npes: usize) -> usize {
    control_bytes(npes)
}

/// Where the copies of static data begin.
pub const fn statics_at(npes: usize, heap_bytes: usize) -> usize {
    heaps_at(npes) + npes * heap_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_page_aligned_and_in_order() {
        for npes in [1, 2, 3, 64, 1023, 1024] {
            assert!(pes_at() + npes * PE_BYTES <= slots_at(npes));
            assert_eq!(heaps_at(npes) % PAGE, 0);
            assert!(slots_at(npes) + SLOTS * slot_bytes(npes) <= heaps_at(npes));
            assert!(control_bytes(npes) < 16 << 20);
        }
    }
}
