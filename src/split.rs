//! Words of a text, as in a shell or a compiler's response file: separated by white space, quoted by `'`, `"` and `\`.

use std::path::Path;

/// The words of a text.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', Some('"') | None) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The words of a response file; none if it cannot be read.
pub fn response_file(path: &Path) -> Option<Vec<String>> {
    std::fs::read_to_string(path).ok().map(|text| words(&text))
}

/// A text whose only word is this one.
pub fn quoted(word: &str) -> String {
    let mut out = String::from("\"");
    for c in word.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(words(r#"gcc  -O2 "-DX=a b" '-DY=\"' z\ z "" "#), ["gcc", "-O2", "-DX=a b", r#"-DY=\""#, "z z", ""]);
        assert_eq!(words(" \n\t"), Vec::<String>::new());
        assert_eq!(words(r#"-DS="\"x\"""#), [r#"-DS="x""#]);
    }

    #[test]
    fn quoting_survives() {
        for word in ["plain", "a b", r#"q"\'"#, "", "tab\tline\n"] {
            assert_eq!(words(&quoted(word)), [word]);
        }
    }
}
