//! Which variable of the source a symbol is. Variables in functions are called `count.3`, by a number that is given when the compiler first needs
//! one: the same variable may be `count.2` in another compilation, and `count.3` another variable. The debug information says which is which; with `-dA`
//! it is annotated.

use std::collections::HashMap;

/// A variable: its name, and where it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin(String);

#[derive(Clone, Debug, Default)]
struct Entry {
    variable: bool,
    name: String,
    place: String,
    origin: Option<String>,
    symbol: Option<String>,
}

/// From the lines of `.debug_info`: none for symbols that are several variables, or parts of them.
pub fn origins<'a>(lines: impl Iterator<Item = &'a str>) -> HashMap<String, Origin> {
    /// The length of an address and nothing else.
    const ADDRESS: &str = ".uleb128 0x9";
    let mut entries: HashMap<String, Entry> = HashMap::new();
    let (mut number, mut entry) = (String::new(), Entry::default());
    let (mut located, mut address) = (false, false);
    for line in lines {
        let Some((value, note)) = line.split_once('#').map(|(value, note)| (value.trim(), note.trim())) else {
            if let Some(symbol) = line.trim().strip_prefix(".quad").filter(|_| address && entry.variable) {
                entry.symbol = Some(symbol.trim().into());
            }
            (located, address) = (false, false);
            continue;
        };
        address = located && note == "DW_OP_addr";
        located = note == "DW_AT_location" && value == ADDRESS;
        let (what, told) = note.split_once(' ').unwrap_or((note, ""));
        if let Some(rest) = note.strip_prefix("(DIE (") {
            entries.insert(std::mem::take(&mut number), std::mem::take(&mut entry));
            let (own, tag) = rest.split_once(") ").unwrap_or((rest, ""));
            number = own.into();
            entry.variable = tag.starts_with("DW_TAG_variable");
        } else if what.starts_with("DW_AT_name") {
            told.trim_matches('"').clone_into(&mut entry.name);
            if entry.name.is_empty() {
                value.clone_into(&mut entry.name);
            }
        } else if what == "DW_AT_decl_file" {
            // With its number, if that is the same in all entries of a kind; the number differs from one compilation to the next.
            let path = told.trim_start_matches('(').trim_end_matches(')');
            let path = path.split_once(", ").filter(|(n, _)| n.parse::<u32>().is_ok()).map_or(path, |(_, path)| path);
            entry.place = format!("{} {path}", entry.place);
        } else if what.starts_with("DW_AT_decl_") {
            let value = if told.is_empty() { value.rsplit(['\t', ' ']).next().unwrap_or_default() } else { told };
            entry.place = format!("{} {}", entry.place, value.trim_matches(['(', ')']));
        } else if what == "DW_AT_abstract_origin" || what == "DW_AT_specification" {
            entry.origin = value.split_whitespace().nth(1).map(Into::into);
        }
    }
    entries.insert(number, entry);
    let mut found: HashMap<String, Option<Origin>> = HashMap::new();
    for entry in entries.values() {
        let Some(symbol) = &entry.symbol else { continue };
        let mut known = entry;
        // A chain of references is short; one in a circle ends too.
        for _ in 0..8 {
            match known.origin.as_ref().and_then(|origin| entries.get(origin)) {
                Some(next) => known = next,
                None => break,
            }
        }
        let name = symbol.split('+').next().unwrap_or_default();
        let origin = (name == symbol && !known.name.is_empty() && !known.place.is_empty())
            .then(|| Origin(format!("{}{}", known.name, known.place)));
        let same = |other: &Option<Origin>| *other == origin;
        match found.get_mut(name) {
            Some(other) if !same(other) => *other = None,
            Some(_) => {}
            None => drop(found.insert(name.into(), origin)),
        }
    }
    found.into_iter().filter_map(|(symbol, origin)| Some((symbol, origin?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = "\
\t.uleb128 0x7\t# (DIE (0x4fd) DW_TAG_variable)
\t.long\t.LASF30\t# DW_AT_name: \"count\"
\t\t\t# DW_AT_decl_file (1, a.c)
\t.byte\t0x9\t# DW_AT_decl_line
\t.uleb128 0x9\t# DW_AT_location
\t.byte\t0x3\t# DW_OP_addr
\t.quad\tcount.2
\t.uleb128 0x8\t# (DIE (0x4ff) DW_TAG_variable)
\t.ascii \"p\\0\"\t# DW_AT_name
\t.byte\t0x4\t# DW_AT_decl_file (a.c)
\t\t\t# DW_AT_decl_line (0xa)
\t.uleb128 0xa\t# DW_AT_location
\t.byte\t0x3\t# DW_OP_addr
\t.quad\tother.1
\t.byte\t0x9f\t# DW_OP_stack_value
\t.uleb128 0x9\t# (DIE (0x501) DW_TAG_variable)
\t.long\t0x4fd\t# DW_AT_abstract_origin
\t.uleb128 0x9\t# DW_AT_location
\t.byte\t0x3\t# DW_OP_addr
\t.quad\tcount.2
";

    #[test]
    fn variables_by_name_and_place() {
        let found = origins(INFO.lines());
        assert_eq!(found, HashMap::from([("count.2".to_owned(), Origin("count a.c 0x9".into()))]));
    }

    #[test]
    fn a_symbol_that_is_two_variables_is_none() {
        let more = INFO.replace(
            "\t.long\t0x4fd\t# DW_AT_abstract_origin",
            "\t.long\t1\t# DW_AT_name: \"other\"\n\t.byte\t2\t# DW_AT_decl_line",
        );
        assert!(origins(more.lines()).is_empty());
    }
}
