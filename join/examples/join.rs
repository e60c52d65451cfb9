fn main() {
    let args: Vec<String> = std::env::args().collect();
    let read = |i: usize| std::fs::read_to_string(&args[i]).unwrap();
    match thrille_join::join(&read(1), None, &read(2), "a.c", "u1") {
        Ok(joined) => {
            std::fs::write(&args[3], joined.plain).unwrap();
            std::fs::write(&args[4], joined.twin).unwrap();
            println!("{} functions, {} sites", joined.functions, joined.sites);
        }
        Err(e) => println!("unfit: {e}"),
    }
}
