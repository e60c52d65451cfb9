//! The macros that export a function under both of its names.

/// Defines C functions: `fn X` becomes `pshmem_X`, with the body, and `shmem_X`, which calls it. In the body, `CALL` is
/// the public name, for messages.
macro_rules! export {
    ($( fn $name:ident ( $($arg:ident : $ty:ty),* $(,)? ) $(-> $ret:ty)? $body:block )*) => { pastey::paste! { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn [<pshmem_ $name>]($($arg: $ty),*) $(-> $ret)? {
            #[allow(dead_code, reason = "some bodies have nothing to complain about")]
            const CALL: &str = concat!("shmem_", stringify!($name));
            $body
        }
        #[unsafe(no_mangle)]
        pub extern "C" fn [<shmem_ $name>]($($arg: $ty),*) $(-> $ret)? {
            [<pshmem_ $name>]($($arg),*)
        }
    )* } };
}

/// The same for names from before the prefix, which are given in full: `fn X = pX`.
macro_rules! export_old {
    ($( fn $name:ident = $pname:ident ( $($arg:ident : $ty:ty),* ) $(-> $ret:ty)? $body:block )*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $pname($($arg: $ty),*) $(-> $ret)? $body
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            $pname($($arg),*)
        }
    )* };
}

/// Calls `$m! { name, type }` for each standard RMA type.
macro_rules! rma_types {
    ($m:ident) => {
        value_types! { $m }
        $m! { longdouble, $crate::longdouble::LongDouble }
    };
}
