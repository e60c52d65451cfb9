//! Compiles the C++ part against the LLVM whose number `THRILLE_LLVM` gives. The plugin is not linked with LLVM: the compiler that loads it
//! has all of it.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=THRILLE_LLVM");
    println!("cargo:rerun-if-changed=shim");
    let version = std::env::var("THRILLE_LLVM").unwrap_or_else(|_| "16".into());
    let config = format!("llvm-config-{version}");
    let output = Command::new(&config).arg("--includedir").output();
    let include = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => panic!(
            "{config} was not found: install llvm-{version}-dev, or set THRILLE_LLVM to the version that is there"
        ),
    };
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flags(["-fno-rtti", "-fno-exceptions"])
        .flag("-isystem")
        .flag(include)
        .files([
            "shim/plugin.cc",
            "shim/analyses.cc",
            "shim/copies.cc",
            "shim/atomics.cc",
            "shim/libcalls.cc",
            "shim/choices.cc",
        ])
        .compile("thrille_shim");
}
