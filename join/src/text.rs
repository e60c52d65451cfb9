//! Lines and words of assembly, as gcc writes it for x86-64.

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// `name:`
    Label(&'a str),
    /// `.name rest`
    Directive(&'a str, &'a str),
    /// `name rest`
    Instruction(&'a str, &'a str),
    /// Assembly of the user's begins.
    User,
    /// It ends.
    Compiler,
    /// Nothing, or a comment.
    Nothing,
}

/// Looks at a line.
pub fn kind(line: &str) -> Kind<'_> {
    let text = line.trim();
    if text.is_empty() {
        return Kind::Nothing;
    }
    if text.starts_with('#') {
        return match text {
            "#APP" => Kind::User,
            "#NO_APP" => Kind::Compiler,
            _ => Kind::Nothing,
        };
    }
    let end = text.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    if rest.starts_with(':') {
        return Kind::Label(first);
    }
    let rest = rest.trim_start();
    if first.starts_with('.') { Kind::Directive(first, rest) } else { Kind::Instruction(first, rest) }
}

/// The arguments of a directive without the comment behind them.
pub fn bare(rest: &str) -> &str {
    let mut quoted = false;
    for (at, c) in rest.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return rest[..at].trim_end(),
            _ => {}
        }
    }
    rest.trim_end()
}

/// The first argument.
pub fn first(rest: &str) -> &str {
    bare(rest).split(',').next().unwrap_or_default().trim()
}

fn begins(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_' || c == b'.' || c >= 0x80
}

fn goes_on(c: u8) -> bool {
    begins(c) || c.is_ascii_digit() || c == b'$'
}

/// The symbols in the arguments of a line: where each begins and ends. Not registers, numbers, texts, comments, nor what stands behind `@`.
pub fn symbols(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let from = at;
            match bytes[at] {
                b'#' => at = bytes.len(),
                b'"' => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                    at += 1;
                }
                b'%' | b'@' | b'0'..=b'9' => {
                    at += 1;
                    while at < bytes.len() && goes_on(bytes[at]) {
                        at += 1;
                    }
                }
                c if begins(c) => {
                    while at < bytes.len() && goes_on(bytes[at]) {
                        at += 1;
                    }
                    return Some((from, at));
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Words before an instruction that are part of it.
const PREFIXES: [&str; 10] =
    ["lock", "rep", "repz", "repe", "repnz", "repne", "notrack", "bnd", "xacquire", "xrelease"];

/// The part of a line in which symbols may stand.
pub fn arguments(kind: Kind<'_>) -> &str {
    match kind {
        Kind::Instruction(name, rest) if PREFIXES.contains(&name) => {
            rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
        }
        Kind::Instruction(_, rest) | Kind::Directive(_, rest) => rest,
        Kind::Label(_) | Kind::User | Kind::Compiler | Kind::Nothing => "",
    }
}

/// Adds a line to `out` with symbols replaced in its arguments.
pub fn renamed<'m>(out: &mut String, line: &str, name: impl Fn(&str) -> Option<&'m str>) {
    let arguments = arguments(kind(line));
    if arguments.is_empty() {
        out.push_str(line);
    } else {
        // A part of the line.
        let from = arguments.as_ptr() as usize - line.as_ptr() as usize;
        out.push_str(&line[..from]);
        let mut done = 0;
        for (begin, end) in symbols(arguments) {
            if let Some(new) = name(&arguments[begin..end]) {
                out.push_str(&arguments[done..begin]);
                out.push_str(new);
                done = end;
            }
        }
        out.push_str(&arguments[done..]);
        out.push_str(&line[from + arguments.len()..]);
    }
    out.push('\n');
}

/// What a name was before the compiler numbered it: `count` of `count.3`.
pub fn numbered(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('.')?;
    (!base.is_empty() && !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())).then_some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert_eq!(kind("main:"), Kind::Label("main"));
        assert_eq!(kind("\t.globl\tmain"), Kind::Directive(".globl", "main"));
        assert_eq!(kind("\tmovl\t$1, %eax"), Kind::Instruction("movl", "$1, %eax"));
        assert_eq!(kind("\tret"), Kind::Instruction("ret", ""));
        assert_eq!(kind("#APP"), Kind::User);
        assert_eq!(kind("# 5 \"a.c\" 1"), Kind::Nothing);
    }

    #[test]
    fn words_that_are_symbols() {
        let found = |text: &str| symbols(text).map(|(a, b)| text[a..b].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("count.2(%rip), %r12"), ["count.2"]);
        assert_eq!(found("$counter+8, -4(%rax,%rbx,4)"), ["counter"]);
        assert_eq!(found("f@PLT"), ["f"]);
        assert_eq!(found(".L9-.L4"), [".L9", ".L4"]);
        assert_eq!(found("\"a \\\" b\", x # y"), ["x"]);
        assert_eq!(found("*g@GOTPCREL(%rip)"), ["g"]);
        assert_eq!(found("1f"), Vec::<String>::new());
    }

    #[test]
    fn only_arguments_are_renamed() {
        let new = |line: &str| {
            let mut out = String::new();
            renamed(&mut out, line, |name| (name == "add").then_some("other"));
            out
        };
        assert_eq!(new("\tadd\tadd(%rip), %eax"), "\tadd\tother(%rip), %eax\n");
        assert_eq!(new("\tlock add\t$1, add(%rip)"), "\tlock add\t$1, other(%rip)\n");
        assert_eq!(new("\t.quad\tadd"), "\t.quad\tother\n");
        assert_eq!(new("\t.string\t\"add\""), "\t.string\t\"add\"\n");
        assert_eq!(new("add:"), "add:\n");
    }

    #[test]
    fn numbers_of_the_compiler() {
        assert_eq!(numbered("count.3"), Some("count"));
        assert_eq!(numbered("f._omp_fn.0"), Some("f._omp_fn"));
        assert_eq!((numbered("count"), numbered("f.cold"), numbered(".3")), (None, None, None));
    }
}
