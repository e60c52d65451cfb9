//! What the conversions of a format string take from the arguments.

/// The argument of one conversion of `printf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// A number of the general kind, or an address that is only printed.
    Word,
    /// A `double`.
    Double,
    /// A `long double`.
    LongDouble,
    /// A string, of which at most so many bytes are read; none means up to its end. `given`: the limit is the argument before it.
    Text { most: Option<usize>, given: bool },
    /// A string of wide characters.
    Wide,
}

/// The argument of one conversion of `scanf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// So many bytes.
    Bytes(usize),
    /// A string with its end.
    Text,
    /// So many bytes, though it does not count as a conversion that was done.
    Count(usize),
    /// Something that is not looked at.
    Other,
}

/// Letters that change the size of what follows: `hh`, `l`, `L`...
fn modifiers(text: &[u8]) -> (&[u8], &[u8]) {
    let n = text.iter().take_while(|b| b"hlqLjzt".contains(b)).count();
    text.split_at(n)
}

fn digits(text: &[u8]) -> (Option<usize>, &[u8]) {
    let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(n);
    (std::str::from_utf8(number).ok().and_then(|n| n.parse().ok()), rest)
}

/// What the conversions of a `printf` format take, in order. None where it cannot be told: arguments that are named by number.
pub fn printed(mut format: &[u8]) -> Option<Vec<Printed>> {
    let mut taken = Vec::new();
    while let Some(at) = format.iter().position(|&b| b == b'%') {
        let mut rest = &format[at + 1..];
        rest = &rest[rest.iter().take_while(|b| b"-+ #0'I".contains(b)).count()..];
        if let [b'*', after @ ..] = rest {
            taken.push(Printed::Word);
            rest = after;
        }
        let (_, after) = digits(rest);
        if after.first() == Some(&b'$') {
            return None;
        }
        rest = after;
        let (mut most, mut given) = (None, false);
        if let [b'.', after @ ..] = rest {
            if let [b'*', after @ ..] = after {
                taken.push(Printed::Word);
                (given, rest) = (true, after);
            } else {
                let (number, after) = digits(after);
                (most, rest) = (Some(number.unwrap_or(0)), after);
            }
        }
        let (size, after) = modifiers(rest);
        let Some((&conversion, after)) = after.split_first() else { break };
        format = after;
        match conversion {
            b'%' | b'm' => {}
            b's' if size.is_empty() => taken.push(Printed::Text { most, given }),
            b's' | b'S' => taken.push(Printed::Wide),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if size == b"L" => taken.push(Printed::LongDouble),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => taken.push(Printed::Double),
            _ => taken.push(Printed::Word),
        }
    }
    Some(taken)
}

/// What the conversions of a `scanf` format take, in order; none as above.
pub fn scanned(mut format: &[u8]) -> Option<Vec<Scanned>> {
    let mut taken = Vec::new();
    while let Some(at) = format.iter().position(|&b| b == b'%') {
        let mut rest = &format[at + 1..];
        let skipped = rest.first() == Some(&b'*');
        rest = &rest[usize::from(skipped)..];
        rest = &rest[rest.iter().take_while(|b| **b == b'\'' || **b == b'I').count()..];
        let (width, after) = digits(rest);
        if after.first() == Some(&b'$') {
            return None;
        }
        // The library allocates the string: the pointer to it is what is written.
        let allocated = after.first() == Some(&b'm');
        let (size, after) = modifiers(&after[usize::from(allocated)..]);
        let Some((&conversion, mut after)) = after.split_first() else { break };
        if conversion == b'[' {
            // A bracket right at the beginning of the set belongs to it.
            let from = if after.starts_with(b"^]") { 2 } else { usize::from(after.starts_with(b"]")) };
            let end = after.get(from..)?.iter().position(|&b| b == b']')?;
            after = &after[from + end + 1..];
        }
        format = after;
        let whole = match size {
            b"hh" => 1,
            b"h" => 2,
            b"" => 4,
            _ => 8,
        };
        let real = match size {
            b"L" => 16,
            b"l" => 8,
            _ => 4,
        };
        let argument = match conversion {
            b'%' => continue,
            _ if skipped => continue,
            _ if allocated => Scanned::Bytes(8),
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => Scanned::Bytes(whole),
            b'n' => Scanned::Count(whole),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Scanned::Bytes(real),
            b'p' => Scanned::Bytes(8),
            b'c' if size.is_empty() => Scanned::Bytes(width.unwrap_or(1)),
            b's' | b'[' if size.is_empty() => Scanned::Text,
            _ => Scanned::Other,
        };
        taken.push(argument);
    }
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_printf_takes() {
        use Printed::{Double, LongDouble, Text, Wide, Word};
        let text = Text { most: None, given: false };
        assert_eq!(printed(b"no conversion, 100 %%").unwrap(), []);
        assert_eq!(printed(b"%d %5.2f %-10s|%%|%ld").unwrap(), [Word, Double, text, Word]);
        let limited = Text { most: Some(3), given: false };
        assert_eq!(printed(b"%.3s%Lg%*d%ls").unwrap(), [limited, LongDouble, Word, Word, Wide]);
        assert_eq!(printed(b"%.*s").unwrap(), [Word, Text { most: None, given: true }]);
        assert_eq!(printed(b"%2$s"), None);
        assert_eq!(printed(b"ends in %").unwrap(), []);
        assert_eq!(printed(b"%m %c %p %zu").unwrap(), [Word, Word, Word]);
    }

    #[test]
    fn what_scanf_takes() {
        use Scanned::{Bytes, Count, Text};
        assert_eq!(scanned(b"%d,%ld %*d %hhd %lf %Lf").unwrap(), [Bytes(4), Bytes(8), Bytes(1), Bytes(8), Bytes(16)]);
        assert_eq!(scanned(b"%[^]x] %[]a]%5c%n%%").unwrap(), [Text, Text, Bytes(5), Count(4)]);
        assert_eq!(scanned(b"%ms").unwrap(), [Bytes(8)]);
        assert_eq!(scanned(b"%[abc"), None);
        assert_eq!(scanned(b"%1$d"), None);
    }
}
