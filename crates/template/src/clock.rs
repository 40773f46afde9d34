//! The time a prompt says it is: given from outside, never looked up.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::{BrokenDownTime, Config};
use jiff::tz::TimeZone;

/// A date and time of day, for `strftime_now`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock(DateTime);

/// A text that is no date and no date with a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockError(String);

impl fmt::Display for ClockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no time: give a date, such as 2025-01-31 or 2025-01-31T12:30:00", self.0)
    }
}

impl std::error::Error for ClockError {}

impl Clock {
    /// The time, in UTC, so many seconds after 1970 began; the nearest that a
    /// calendar of four-digit years holds.
    pub fn from_unix(seconds: i64) -> Self {
        let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let timestamp = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
        Clock(TimeZone::UTC.to_datetime(timestamp))
    }

    /// As Python's `strftime` writes it. A directive that nobody knows stays as
    /// it is.
    pub fn strftime(self, format: &str) -> String {
        let config = Config::new().lenient(true);
        let time = BrokenDownTime::from(self.0);
        time.to_string_with_config(&config, format).unwrap_or_else(|_| format.to_owned())
    }
}

/// Of a date (`2025-01-31`: its midnight) or a date with a time
/// (`2025-01-31T12:30:00`).
impl FromStr for Clock {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        text.parse().map(Clock).map_err(|_| ClockError(text.to_owned()))
    }
}
