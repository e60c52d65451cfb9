//! What of a source line races: the name, the call or the element at the column that the compiler gives.

use std::ops::Range;

/// The bytes of the token at a column, counted in bytes from 1; none if the column is not in the line.
pub fn at(line: &str, column: u32) -> Option<Range<usize>> {
    let at = (column as usize).checked_sub(1)?;
    let here = line.get(at..)?.chars().next()?;
    let range = match here {
        c if is_word(c) => {
            let start = word_start(line, at);
            let end = word_end(line, at);
            // `p` of `p[i]` or `s.x` is not what is touched, but calls are named by their function.
            if line[end..].starts_with('[') { start..close(line, end) } else { start..end }
        }
        '[' => {
            let start = operand_start(line, at);
            start..close(line, at)
        }
        '.' | '-' if here == '.' || line[at..].starts_with("->") => {
            let name = at + if here == '.' { 1 } else { 2 };
            operand_start(line, at)..word_end(line, name)
        }
        '*' if line[at + 1..].starts_with(is_word) => at..word_end(line, at + 1),
        '(' => {
            let start = operand_start(line, at);
            if start < at { start..at } else { at..at + 1 }
        }
        c if c.is_whitespace() => return None,
        _ => {
            let operator = |c: char| "+-*/%&|^<>=!~".contains(c);
            let end = line[at..].find(|c| !operator(c)).map_or(line.len(), |len| at + len);
            let left = operand_start(line, line[..at].trim_end().len());
            // Of an assignment, what is assigned to.
            let compares = ["==", "<=", ">=", "!="].contains(&&line[at..end.max(at)]);
            if line[at..end].ends_with('=') && !compares && left < at {
                left..line[..at].trim_end().len()
            } else {
                at..end.max(at + here.len_utf8())
            }
        }
    };
    Some(range)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_start(line: &str, at: usize) -> usize {
    line[..at].char_indices().rev().take_while(|&(_, c)| is_word(c)).last().map_or(at, |(start, _)| start)
}

fn word_end(line: &str, at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

/// Where the operand begins that ends at `at`: names with members and subscripts.
fn operand_start(line: &str, mut at: usize) -> usize {
    loop {
        let start = word_start(line, at);
        let before = &line[..start];
        if before.ends_with("->") {
            at = start - 2;
        } else if before.ends_with('.') {
            at = start - 1;
        } else if start == at && before.ends_with(']') {
            let Some(open) = open(before) else { return start };
            at = open;
        } else {
            return start;
        }
    }
}

/// The bracket that belongs to the one at the end.
fn open(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, c)| {
        match c {
            ']' => depth += 1,
            '[' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// One past the bracket that closes the one at `at`, and of further subscripts.
fn close(line: &str, at: usize) -> usize {
    let mut depth = 0;
    let mut end = None;
    for (index, c) in line[at..].char_indices() {
        match c {
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                if depth == 0 {
                    end = Some(at + index + 1);
                }
            }
            _ if depth == 0 => break,
            _ => {}
        }
    }
    end.unwrap_or(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(line: &str, column: u32) -> &str {
        at(line, column).map_or("", |range| &line[range])
    }

    #[test]
    fn what_the_column_means() {
        let line = "  next[i] = (heat[i - 1] + s->x[2][j].y) / *p; shmem_put(a, b);";
        let column = |text: &str| line.find(text).unwrap() as u32 + 1;
        assert_eq!(token(line, column("heat")), "heat[i - 1]");
        assert_eq!(token(line, column("[i - 1]")), "heat[i - 1]");
        assert_eq!(token(line, column(".y")), "s->x[2][j].y");
        assert_eq!(token(line, column("[2]")), "s->x[2][j]");
        assert_eq!(token(line, column("*p")), "*p");
        assert_eq!(token(line, column("shmem_put")), "shmem_put");
        assert_eq!(token(line, column("(a, b)")), "shmem_put");
        assert_eq!(token(line, column("= (")), "next[i]");
        assert_eq!(token("  a->b += x == y;", 8), "a->b");
        assert_eq!(token("  a = x == y;", 9), "==");
        assert_eq!(token(line, 1), "");
        assert_eq!(token(line, 0), "");
        assert_eq!(token(line, 999), "");
    }

    #[test]
    fn no_column_of_no_line_is_a_panic() {
        for line in ["a[é[b", "]]]]", "->.[(", "é é", "x->", "a[b]c]d[", "..", "*", ""] {
            for column in 0..16 {
                if let Some(range) = at(line, column) {
                    assert!(line.get(range).is_some(), "{line} {column}");
                }
            }
        }
    }
}
