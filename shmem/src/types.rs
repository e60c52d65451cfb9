//! The one table of types. A row is `name, Rust type`; `name` is the standard's TYPENAME. Types that Rust passes as C does are in
//! `value_types`; `long double` is not among them: see `longdouble`. The detector's library reads this file too.

/// Calls `$m! { name, type }` for each standard RMA type but `long double`.
macro_rules! value_types {
    ($m:ident) => {
        $m! { float, f32 }
        $m! { double, f64 }
        $m! { char, i8 }
        $m! { schar, i8 }
        $m! { short, i16 }
        $m! { int, i32 }
        $m! { long, i64 }
        $m! { longlong, i64 }
        $m! { uchar, u8 }
        $m! { ushort, u16 }
        $m! { uint, u32 }
        $m! { ulong, u64 }
        $m! { ulonglong, u64 }
        $m! { int8, i8 }
        $m! { int16, i16 }
        $m! { int32, i32 }
        $m! { int64, i64 }
        $m! { uint8, u8 }
        $m! { uint16, u16 }
        $m! { uint32, u32 }
        $m! { uint64, u64 }
        $m! { size, usize }
        $m! { ptrdiff, isize }
    };
}

/// Calls `$m! { bits, type }` for each sized form of the RMA routines.
macro_rules! sized_types {
    ($m:ident) => {
        $m! { 8, u8 }
        $m! { 16, u16 }
        $m! { 32, u32 }
        $m! { 64, u64 }
        $m! { 128, u128 }
    };
}

/// Calls `$m! { name, type }` for each standard AMO type.
macro_rules! amo_types {
    ($m:ident) => {
        $m! { int, i32 }
        $m! { long, i64 }
        $m! { longlong, i64 }
        $m! { uint, u32 }
        $m! { ulong, u64 }
        $m! { ulonglong, u64 }
        $m! { int32, i32 }
        $m! { int64, i64 }
        $m! { uint32, u32 }
        $m! { uint64, u64 }
        $m! { size, usize }
        $m! { ptrdiff, isize }
    };
}

/// Calls `$m! { name, type }` for each extended AMO type.
macro_rules! extended_amo_types {
    ($m:ident) => {
        amo_types! { $m }
        $m! { float, f32 }
        $m! { double, f64 }
    };
}

/// Calls `$m! { name, type }` for each bitwise AMO type.
macro_rules! bitwise_amo_types {
    ($m:ident) => {
        $m! { uint, u32 }
        $m! { ulong, u64 }
        $m! { ulonglong, u64 }
        $m! { int32, i32 }
        $m! { int64, i64 }
        $m! { uint32, u32 }
        $m! { uint64, u64 }
    };
}

/// Calls `$m! { name, type }` for each type one can wait on; the short ones only by older programs.
macro_rules! p2p_types {
    ($m:ident) => {
        amo_types! { $m }
        $m! { short, i16 }
        $m! { ushort, u16 }
    };
}
