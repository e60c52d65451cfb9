//! Which bytes a datatype touches: its type map, flattened into stretches of bytes, from what the library says it was made of.
#![allow(clippy::unnecessary_cast, reason = "the libraries have different types for addresses")]

use crate::mpi::call::{OPEN_MPI, SUCCESS, Shared, call, calls, raw};
use mpi_sys::{MPI_Aint, MPI_Datatype};
use rustc_hash::FxHashMap;
use std::ffi::c_int;
use std::sync::Arc;
use thrille_model::Comb;
use thrille_model::comb::Teeth;

/// A flattened datatype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Offset and length of each stretch, sorted, none touching another.
    runs: Vec<(i64, u64)>,
    /// The same, with those that are equally long and equally far apart as one.
    rows: Vec<Row>,
    /// From one element to the next.
    extent: i64,
    /// Bytes of data.
    pub size: u64,
    /// The one predefined type it is made of, by a number that is equal on all ranks, and its size; none if there are several.
    pub basic: Option<(u8, u8)>,
}

/// Stretches of `len` bytes, each `stride` bytes behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    at: i64,
    len: u64,
    stride: u64,
    count: u64,
}

impl Row {
    /// Fewer stretches are told one by one.
    const FEWEST: usize = 4;

    fn of(runs: &[(i64, u64)]) -> Vec<Self> {
        let (mut rows, mut left) = (Vec::new(), runs);
        while let Some((&(at, len), rest)) = left.split_first() {
            let stride = rest.first().map_or(0, |next| next.0 - at);
            let follows = |pair: &&[(i64, u64)]| pair[1].1 == len && pair[1].0 - pair[0].0 == stride;
            let count = 1 + left.windows(2).take_while(follows).count();
            let count = if count < Self::FEWEST { 1 } else { count };
            rows.push(Self { at, len, stride: stride.unsigned_abs(), count: count as u64 });
            left = &left[count..];
        }
        rows
    }

    /// Where that is, from this address on.
    fn from(self, base: u64) -> Option<Teeth> {
        Comb::new(base.wrapping_add_signed(self.at), self.stride, self.len, self.count)
    }
}

impl Layout {
    fn new(runs: Vec<(i64, u64)>, extent: i64, size: u64, basic: Option<(u8, u8)>) -> Self {
        Self { rows: Row::of(&runs), runs, extent, size, basic }
    }

    /// So many bytes in a row.
    pub fn bytes(size: u64, ty: u8) -> Self {
        let runs = if size > 0 { vec![(0, size)] } else { Vec::new() };
        Self::new(runs, size as i64, size, Some((ty, u8::try_from(size).unwrap_or(u8::MAX))))
    }

    /// The bytes of this many elements in a row, from an address on.
    pub fn combs(&self, base: u64, count: u64) -> impl Iterator<Item = Teeth> + '_ {
        let whole = match self.rows[..] {
            [row] if self.solid() && count > 0 => Some(Row { len: row.len.saturating_mul(count), ..row }),
            [row] if row.count == 1 && count > 1 && self.extent > row.len as i64 => {
                Some(Row { stride: self.extent.unsigned_abs(), count, ..row })
            }
            _ => None,
        };
        let times = if whole.is_some() { 0 } else { count };
        let each = (0..times)
            .flat_map(move |i| self.rows.iter().map(move |&row| Row { at: row.at + self.extent * i as i64, ..row }));
        whole.into_iter().chain(each).filter_map(move |row| row.from(base))
    }

    /// The stretches of this many elements in a row.
    pub fn runs(&self, count: u64) -> impl Iterator<Item = (i64, u64)> + '_ {
        let solid = self.solid();
        let (times, together) = if solid { (count.min(1), count) } else { (count, 1) };
        (0..times).flat_map(move |i| {
            self.runs.iter().map(move |&(at, len)| (at + self.extent * i as i64, len.saturating_mul(together)))
        })
    }

    /// Whether elements in a row leave no gap.
    fn solid(&self) -> bool {
        matches!(self.runs[..], [(_, len)] if len as i64 == self.extent)
    }

    /// From an element to the one this many behind it.
    pub fn stride(&self, count: u64) -> i64 {
        self.extent.wrapping_mul(count as i64)
    }

    /// From the first byte to the last of this many elements.
    pub fn len(&self, count: u64) -> u64 {
        self.size.saturating_mul(count)
    }
}

/// The pieces of a datatype under construction.
#[derive(Default)]
struct Pieces {
    runs: Vec<(i64, u64)>,
    basic: Basic,
    size: u64,
}

/// Which predefined types there are in some data.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Basic {
    #[default]
    None,
    One((u8, u8)),
    Several,
}

impl Pieces {
    /// Adds `count` elements of a type from an offset on.
    fn add(&mut self, at: i64, count: i64, of: &Layout) {
        for (offset, len) in of.runs(count.max(0) as u64) {
            let at = at + offset;
            match self.runs.last_mut() {
                Some((lo, had)) if *lo + *had as i64 == at => *had += len,
                _ => self.runs.push((at, len)),
            }
        }
        if count > 0 && of.size > 0 {
            self.size += of.size * count as u64;
            let added = of.basic.map_or(Basic::Several, Basic::One);
            self.basic = if self.basic == Basic::None || self.basic == added { added } else { Basic::Several };
        }
    }

    fn finish(mut self, extent: i64) -> Layout {
        self.runs.sort_unstable();
        self.runs.dedup_by(|next, kept| {
            let end = kept.0 + kept.1 as i64;
            let joins = next.0 <= end;
            if joins {
                kept.1 = (end.max(next.0 + next.1 as i64) - kept.0) as u64;
            }
            joins
        });
        let basic = if let Basic::One(basic) = self.basic { Some(basic) } else { None };
        Layout::new(self.runs, extent, self.size, basic)
    }
}

static LAYOUTS: Shared<FxHashMap<u64, Arc<Layout>>> = Shared::new();

/// The layout of a datatype that the program passes to the library.
pub fn layout(ty: MPI_Datatype) -> Arc<Layout> {
    if let Some(known) = LAYOUTS.with(|layouts| layouts.get(&raw(ty)).cloned()) {
        return known;
    }
    let new = Arc::new(flatten(ty, 0));
    LAYOUTS.with(|layouts| layouts.insert(raw(ty), Arc::clone(&new)));
    new
}

/// The first of the numbers that the library gives to the ways of making a type; both libraries have them in one order.
const FIRST: c_int = if OPEN_MPI { 0 } else { 1 };
const NAMED: c_int = FIRST;
const DUP: c_int = FIRST + 1;
const CONTIGUOUS: c_int = FIRST + 2;
const VECTOR: c_int = FIRST + 3;
const HVECTOR_OLD: c_int = FIRST + 4;
const HVECTOR: c_int = FIRST + 5;
const INDEXED: c_int = FIRST + 6;
const HINDEXED_OLD: c_int = FIRST + 7;
const HINDEXED: c_int = FIRST + 8;
const INDEXED_BLOCK: c_int = FIRST + 9;
const STRUCT_OLD: c_int = FIRST + 10;
const STRUCT: c_int = FIRST + 11;
const SUBARRAY: c_int = FIRST + 12;
const DARRAY: c_int = FIRST + 13;
const F90_REAL: c_int = FIRST + 14;
const F90_INTEGER: c_int = FIRST + 16;
const RESIZED: c_int = FIRST + 17;
const HINDEXED_BLOCK: c_int = FIRST + 18;

/// Types within types, at most.
const DEEPEST: u32 = 64;

/// What a type was made of.
struct Contents {
    ints: Vec<c_int>,
    addresses: Vec<MPI_Aint>,
    types: Vec<MPI_Datatype>,
}

fn envelope(ty: MPI_Datatype) -> Option<(c_int, [c_int; 3])> {
    let (mut ints, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
    // SAFETY: asks about the handle that the program passes to the library, with variables of our own.
    let result = unsafe {
        mpi_sys::PMPI_Type_get_envelope(ty, &raw mut ints, &raw mut addresses, &raw mut types, &raw mut combiner)
    };
    (result == SUCCESS).then_some((combiner, [ints, addresses, types]))
}

fn extent(ty: MPI_Datatype) -> (i64, i64) {
    let (mut lb, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
    // SAFETY: as above.
    unsafe { mpi_sys::PMPI_Type_get_extent(ty, &raw mut lb, &raw mut extent) };
    (lb as i64, extent as i64)
}

/// A type that the library knows from the start. Those of a value and an index may have a gap, which is taken for data.
fn basic(ty: MPI_Datatype) -> Layout {
    let (mut lb, mut len): (MPI_Aint, MPI_Aint) = (0, 0);
    // SAFETY: asks about a valid handle.
    let number = unsafe {
        mpi_sys::PMPI_Type_get_true_extent(ty, &raw mut lb, &raw mut len);
        mpi_sys::RSMPI_Type_c2f(ty)
    };
    Layout { extent: extent(ty).1, ..Layout::bytes(len.max(0) as u64, (number & 0xff) as u8) }
}

/// Anything that cannot be taken apart: from its first byte to its last.
fn hull(ty: MPI_Datatype) -> Layout {
    let (mut lb, mut len): (MPI_Aint, MPI_Aint) = (0, 0);
    let mut size = 0;
    // SAFETY: asks about a valid handle.
    unsafe {
        mpi_sys::PMPI_Type_get_true_extent(ty, &raw mut lb, &raw mut len);
        mpi_sys::PMPI_Type_size(ty, &raw mut size);
    }
    let runs = if len > 0 { vec![(lb as i64, len as u64)] } else { Vec::new() };
    Layout::new(runs, extent(ty).1, size.max(0) as u64, None)
}

fn contents(ty: MPI_Datatype, [ints, addresses, types]: [c_int; 3]) -> Option<Contents> {
    // SAFETY: a constant of the library.
    let null = unsafe { mpi_sys::RSMPI_DATATYPE_NULL };
    let mut c = Contents {
        ints: vec![0; ints.max(0) as usize],
        addresses: vec![0; addresses.max(0) as usize],
        types: vec![null; types.max(0) as usize],
    };
    // SAFETY: the arrays have the lengths that the library asked for.
    let result = unsafe {
        mpi_sys::PMPI_Type_get_contents(
            ty,
            ints,
            addresses,
            types,
            c.ints.as_mut_ptr(),
            c.addresses.as_mut_ptr(),
            c.types.as_mut_ptr(),
        )
    };
    (result == SUCCESS).then_some(c)
}

/// Named types, and those of a precision and range, which must not be freed either (17.1.9 of MPI-3.1).
fn is_predefined(combiner: c_int) -> bool {
    combiner == NAMED || (F90_REAL..=F90_INTEGER).contains(&combiner)
}

fn flatten(ty: MPI_Datatype, depth: u32) -> Layout {
    let Some((combiner, lengths)) = envelope(ty) else { return Layout::default() };
    if is_predefined(combiner) {
        return basic(ty);
    }
    let Some(parts) = contents(ty, lengths).filter(|_| depth < DEEPEST) else { return hull(ty) };
    let inner: Vec<Layout> = parts.types.iter().map(|&t| flatten(t, depth + 1)).collect();
    let made = make(combiner, &parts, &inner).map(|pieces| pieces.finish(extent(ty).1));
    for mut ty in parts.types {
        if envelope(ty).is_some_and(|(combiner, _)| !is_predefined(combiner)) {
            // SAFETY: the library gave us a handle of our own to a type that is not predefined.
            unsafe { real_Type_free(&raw mut ty) };
        }
    }
    made.unwrap_or_else(|| hull(ty))
}

/// The pieces, by the definition of each way to make a type. None for one that is not known.
fn make(combiner: c_int, parts: &Contents, inner: &[Layout]) -> Option<Pieces> {
    let int = |i: usize| parts.ints.get(i).map(|&n| i64::from(n));
    let address = |i: usize| parts.addresses.get(i).map(|&n| n as i64);
    let first = inner.first()?;
    let step = first.extent;
    let mut pieces = Pieces::default();
    match combiner {
        DUP | RESIZED => pieces.add(0, 1, first),
        CONTIGUOUS => pieces.add(0, int(0)?, first),
        VECTOR => {
            for i in 0..int(0)? {
                pieces.add(i * int(2)? * step, int(1)?, first);
            }
        }
        HVECTOR | HVECTOR_OLD => {
            let stride = address(0).or_else(|| int(2))?;
            for i in 0..int(0)? {
                pieces.add(i * stride, int(1)?, first);
            }
        }
        INDEXED => {
            let n = int(0)? as usize;
            for i in 0..n {
                pieces.add(int(1 + n + i)? * step, int(1 + i)?, first);
            }
        }
        HINDEXED | HINDEXED_OLD => {
            for i in 0..int(0)? as usize {
                pieces.add(address(i)?, int(1 + i)?, first);
            }
        }
        INDEXED_BLOCK => {
            for i in 0..int(0)? as usize {
                pieces.add(int(2 + i)? * step, int(1)?, first);
            }
        }
        HINDEXED_BLOCK => {
            for i in 0..int(0)? as usize {
                pieces.add(address(i)?, int(1)?, first);
            }
        }
        STRUCT | STRUCT_OLD => {
            for (i, layout) in inner.iter().enumerate() {
                pieces.add(address(i)?, int(1 + i)?, layout);
            }
        }
        SUBARRAY => {
            let n = int(0)? as usize;
            let list = |from: usize| (0..n).map(|i| int(1 + from * n + i)).collect::<Option<Vec<_>>>();
            let fortran = int(1 + 3 * n)? == i64::from(mpi_sys::MPI_ORDER_FORTRAN);
            subarray(&mut pieces, list(0)?, list(1)?, list(2)?, fortran, first);
        }
        DARRAY => darray(&mut pieces, &parts.ints, first)?,
        _ => return None,
    }
    Some(pieces)
}

fn subarray(
    pieces: &mut Pieces,
    mut sizes: Vec<i64>,
    mut some: Vec<i64>,
    mut starts: Vec<i64>,
    fortran: bool,
    of: &Layout,
) {
    if fortran {
        // The first index runs fastest.
        sizes.reverse();
        some.reverse();
        starts.reverse();
    }
    let indices: Vec<Vec<i64>> = starts.iter().zip(&some).map(|(&from, &n)| (from..from + n).collect()).collect();
    grid(pieces, &sizes, &indices, of);
}

/// The elements of an array, the last index running fastest, whose index in each dimension is in a list.
fn grid(pieces: &mut Pieces, sizes: &[i64], indices: &[Vec<i64>], of: &Layout) {
    let (Some((_, outer)), Some((&width, _))) = (indices.split_last(), sizes.split_last()) else { return };
    let last = &indices[indices.len() - 1];
    let mut at = vec![0usize; outer.len()];
    if last.is_empty() || outer.iter().any(Vec::is_empty) {
        return;
    }
    loop {
        let row = at.iter().zip(outer).zip(sizes).fold(0, |row, ((&i, list), &size)| row * size + list[i]);
        let stretches = last.chunk_by(|a, b| a + 1 == *b);
        stretches.for_each(|s| pieces.add((row * width + s[0]) * of.extent, s.len() as i64, of));
        let Some(next) = (0..at.len()).rev().find(|&d| at[d] + 1 < outer[d].len()) else { return };
        at[next] += 1;
        at[next + 1..].fill(0);
    }
}

/// This process's part of a distributed array: size, rank, ndims, then sizes, distributions, arguments, grid, order.
fn darray(pieces: &mut Pieces, ints: &[c_int], of: &Layout) -> Option<()> {
    let int = |i: usize| ints.get(i).map(|&n| i64::from(n));
    let (rank, n) = (int(1)?, int(2)? as usize);
    let list = |from: usize| (0..n).map(|i| int(3 + from * n + i)).collect::<Option<Vec<_>>>();
    let (mut sizes, how, arguments, processes) = (list(0)?, list(1)?, list(2)?, list(3)?);
    let fortran = int(3 + 4 * n)? == i64::from(mpi_sys::MPI_ORDER_FORTRAN);
    // Processes are numbered with the last index running fastest, whatever the order of the array.
    let mut left = rank;
    let mut coordinates = vec![0; n];
    for d in (0..n).rev() {
        coordinates[d] = left % processes[d].max(1);
        left /= processes[d].max(1);
    }
    let default = i64::from(mpi_sys::MPI_DISTRIBUTE_DFLT_DARG);
    let mut indices: Vec<Vec<i64>> = Vec::new();
    for d in 0..n {
        let (size, procs, me) = (sizes[d], processes[d].max(1), coordinates[d]);
        let own: Vec<i64> = if how[d] == i64::from(mpi_sys::MPI_DISTRIBUTE_NONE) {
            (0..size).collect()
        } else {
            let block = match (how[d] == i64::from(mpi_sys::MPI_DISTRIBUTE_BLOCK), arguments[d] == default) {
                (true, true) => (size + procs - 1) / procs,
                (false, true) => 1,
                (_, false) => arguments[d],
            };
            (0..size).filter(|i| i / block.max(1) % procs == me).collect()
        };
        indices.push(own);
    }
    if fortran {
        sizes.reverse();
        indices.reverse();
    }
    grid(pieces, &sizes, &indices, of);
    Some(())
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Type_free(ty: *mut MPI_Datatype), real => {
        let _call = call();
        if !ty.is_null() {
            // SAFETY: the program's handle; the library may give its number to another type.
            let handle = raw(unsafe { *ty });
            LAYOUTS.with(|layouts| layouts.remove(&handle));
        }
        real()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::comb::teeth;

    fn pieces(runs: &[(i64, u64)], extent: i64) -> Layout {
        let size = runs.iter().map(|run| run.1).sum();
        Layout::new(runs.to_vec(), extent, size, None)
    }

    #[test]
    fn blocks_that_overlap_are_data_once() {
        let int = Layout::bytes(4, 1);
        let mut vector = Pieces::default();
        for i in 0..2 {
            vector.add(8 * i, 3, &int);
        }
        let layout = vector.finish(20);
        assert_eq!(layout.size, 24);
        for (count, len) in [(0, None), (1, Some(20)), (2, Some(40))] {
            assert_eq!(layout.runs(count).collect::<Vec<_>>(), Vec::from_iter(len.map(|len| (0, len))));
            assert_eq!(layout.combs(64, count).map(|(range, _)| range.len()).collect::<Vec<_>>(), Vec::from_iter(len));
        }
    }

    #[test]
    fn combs_are_the_runs() {
        let column: Vec<(i64, u64)> = (0..6).map(|i| (8 + 40 * i, 8)).collect();
        let face: Vec<(i64, u64)> = (0..30).map(|i| (1000 * (i / 6) + 40 * (i % 6), 8)).collect();
        let layouts = [
            (pieces(&[(0, 8)], 8), 1),
            (pieces(&[(0, 8)], 24), 1),
            (pieces(&column, 240), 1),
            (pieces(&column, 8), 3),
            (pieces(&face, 5000), 5),
            (pieces(&[(0, 4), (8, 8), (24, 4)], 32), 3),
            (pieces(&[(-16, 8), (0, 8)], -64), 2),
            (pieces(&[], 8), 0),
        ];
        for (layout, most) in layouts {
            for count in [0, 1, 3] {
                let base = 1 << 20;
                let combs: Vec<Teeth> = layout.combs(base, count).collect();
                let mut told: Vec<(u64, u64)> =
                    combs.iter().flat_map(|&c| teeth(c)).map(|t| (t.lo(), t.len())).collect();
                let mut runs: Vec<(u64, u64)> =
                    layout.runs(count).map(|(at, len)| (base.wrapping_add_signed(at), len)).collect();
                told.sort_unstable();
                runs.sort_unstable();
                assert_eq!(told, runs, "{layout:?} {count}");
                assert!(combs.len() as u64 <= most * count, "{layout:?} {count}");
            }
        }
    }
}
