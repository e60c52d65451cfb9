//! A point in time as text, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Year, month, day, hour, minute, second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([u64; 6]);

impl Stamp {
    /// Of a time; times before 1970 count as 1970.
    pub fn of(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let (mut days, second) = (seconds / 86_400, seconds % 86_400);
        let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let mut year = 1970;
        while days >= 365 + u64::from(leap(year)) {
            days -= 365 + u64::from(leap(year));
            year += 1;
        }
        let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 0;
        while days >= lengths[month] {
            days -= lengths[month];
            month += 1;
        }
        Self([year, month as u64 + 1, days + 1, second / 3600, second / 60 % 60, second % 60])
    }

    /// For a file's name: `20260314-150926`.
    pub fn for_a_name(self) -> String {
        let [year, month, day, hour, minute, second] = self.0;
        format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
    }

    /// The day: `2026-03-14`.
    pub fn date(self) -> String {
        let [year, month, day, ..] = self.0;
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// RFC 3339: `2026-03-14T15:09:26Z`.
    pub fn rfc3339(self) -> String {
        let [year, month, day, hour, minute, second] = self.0;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn known_times() {
        let at = |seconds| Stamp::of(UNIX_EPOCH + Duration::from_secs(seconds)).rfc3339();
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_773_500_966), "2026-03-14T15:09:26Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(Stamp::of(UNIX_EPOCH).for_a_name(), "19700101-000000");
    }
}
