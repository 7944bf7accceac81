//! A point in time, counted in microseconds, and its two spellings.
//!
//! This crate has no clock: whoever needs "now" passes it in.

use std::fmt;

use crate::Quoted;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// 9999-12-31T23:59:59.999999Z: the last instant with a four-digit year.
const LAST: i64 = 253_402_300_799_999_999;

/// Microseconds since 1970-01-01T00:00:00Z, within the years 1970 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first instant there is, 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// From microseconds since the epoch; instants out of range are moved to the nearest end.
    pub const fn from_micros(micros: i64) -> Self {
        if micros < 0 {
            Self(0)
        } else if micros > LAST {
            Self(LAST)
        } else {
            Self(micros)
        }
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// This instant moved by `seconds`, which may be negative; stays in range.
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_micros(
            self.0
                .saturating_add(seconds.saturating_mul(MICROS_PER_SECOND)),
        )
    }

    /// Whole seconds from `earlier` to this instant; 0 if `earlier` is later.
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        let micros = self.0 - earlier.0;
        if micros < 0 {
            0
        } else {
            micros / MICROS_PER_SECOND
        }
    }

    /// The number of the day since the epoch, in UTC.
    pub const fn day(self) -> i64 {
        self.0 / MICROS_PER_SECOND / SECONDS_PER_DAY
    }

    /// The spelling inside ids: `20261130T112614500065`.
    pub fn stamp(self) -> String {
        let (year, month, day) = civil(self.day());
        let (hour, minute, second, micro) = self.clock();
        format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}{micro:06}")
    }

    /// Reads RFC 3339 (`2026-11-30T11:26:14.500145+00:00`), with any offset and up to nine
    /// fractional digits, of which six count.
    ///
    /// # Errors
    /// Text that is not a date and time of the years 1970 to 9999 with an offset.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        parse(text).ok_or_else(|| TimestampError {
            shown: Quoted(text).to_string(),
        })
    }

    fn clock(self) -> (i64, i64, i64, i64) {
        let micro = self.0 % MICROS_PER_SECOND;
        let second = self.0 / MICROS_PER_SECOND % SECONDS_PER_DAY;
        (second / 3600, second / 60 % 60, second % 60, micro)
    }
}

/// RFC 3339 in UTC with microseconds: `2026-11-30T11:26:14.500145+00:00`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.day());
        let (hour, minute, second, micro) = self.clock();
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micro:06}+00:00"
        )
    }
}

/// Text that is no RFC 3339 time. The fault lies with whoever wrote the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampError {
    shown: String,
}

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not an RFC 3339 time, such as 2026-11-30T11:26:14.500145+00:00",
            self.shown
        )
    }
}

impl std::error::Error for TimestampError {}

/// Day number to (year, month, day); "civil_from_days" of Howard Hinnant's calendar algorithms.
const fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// (year, month, day) to day number; the inverse of [`civil`].
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn parse(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let mut date_parts = date.split('-');
    let year = digits(date_parts.next()?, 4)?;
    let month = digits(date_parts.next()?, 2)?;
    let day = digits(date_parts.next()?, 2)?;
    let offset_at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, offset) = rest.split_at_checked(offset_at)?;
    let (whole, fraction) = match clock.split_once('.') {
        Some((whole, fraction)) => (whole, micros(fraction)?),
        None => (clock, 0),
    };
    let mut clock_parts = whole.split(':');
    let hour = digits(clock_parts.next()?, 2)?;
    let minute = digits(clock_parts.next()?, 2)?;
    let second = digits(clock_parts.next()?, 2)?;
    let in_range = date_parts.next().is_none()
        && clock_parts.next().is_none()
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && civil(days(year, month, day)) == (year, month, day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let local = days(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
    let total = (local - offset_seconds(offset)?) * MICROS_PER_SECOND + fraction;
    (0..=LAST).contains(&total).then_some(Timestamp(total))
}

fn digits(text: &str, width: usize) -> Option<i64> {
    let plain = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn micros(fraction: &str) -> Option<i64> {
    let plain = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|b| b.is_ascii_digit());
    if !plain {
        return None;
    }
    let padded: String = fraction.chars().chain("000000".chars()).take(6).collect();
    padded.parse().ok()
}

fn offset_seconds(offset: &str) -> Option<i64> {
    if matches!(offset, "Z" | "z") {
        return Some(0);
    }
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    Some(sign * (digits(hours, 2)? * 3600 + digits(minutes, 2)? * 60))
}

#[cfg(test)]
mod tests {
    use super::Timestamp;
    use proptest::prelude::*;

    #[test]
    fn spells_a_known_instant() {
        let at = Timestamp::from_micros(1_796_037_974_500_065);
        assert_eq!(at.to_string(), "2026-11-30T11:26:14.500065+00:00");
        assert_eq!(at.stamp(), "20261130T112614500065");
    }

    #[test]
    fn reads_offsets_and_short_fractions() {
        let utc = Timestamp::parse("2024-02-29T23:30:00.5Z").unwrap();
        let ahead = Timestamp::parse("2024-03-01T01:00:00.500+01:30").unwrap();
        assert_eq!(utc, ahead);
    }

    #[test]
    fn refuses_what_is_no_time() {
        for bad in [
            "",
            "yesterday",
            "2023-02-29T00:00:00Z",
            "2023-01-01T24:00:00Z",
            "2023-01-01T00:00:00",
            "1969-12-31T23:59:59Z",
            "2023-1-01T00:00:00Z",
            "2023-01-01T00:00:00.Z",
        ] {
            assert!(Timestamp::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn display_then_parse_is_identity(micros in 0i64..=super::LAST) {
            let at = Timestamp::from_micros(micros);
            prop_assert_eq!(Timestamp::parse(&at.to_string()), Ok(at));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = Timestamp::parse(&text);
        }
    }
}
