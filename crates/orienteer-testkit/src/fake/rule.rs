//! What goes wrong when one method is called.

use serde_json::{Value, json};

use super::choices::{Death, When};
use super::json::json_struct;

/// The method of rules that apply at the start of the process, before anything is read.
pub const START: &str = "start";

json_struct! {
    /// A fault of one method. It applies to every call unless `from`, `times`, `containing` or `once` narrow
    /// it. Several rules of one method add up.
    pub struct Rule {
        on: String,
        containing: String,
        from: u64,
        times: u64,
        once: bool,
        delay_ms: u64,
        crash: Option<When>,
        death: Death,
        hang: bool,
        freeze: bool,
        error: Option<Value>,
        result: Option<Value>,
        twice: bool,
        stray_reply: bool,
        broken_frame: bool,
        huge_bytes: u64,
        flood_bytes: u64,
        allocate_mb: u64,
    }
}

impl Rule {
    /// A rule for a request or a notification; `"*"` is every request, [`START`] the start of the process.
    pub fn on(method: &str) -> Self {
        Self { on: method.to_owned(), ..Self::default() }
    }

    /// Only messages whose params contain this text, such as the name of one file.
    #[must_use]
    pub fn containing(mut self, text: &str) -> Self {
        self.containing = text.to_owned();
        self
    }

    /// From the Nth matching call of a process on, counted from 1.
    #[must_use]
    pub fn from(mut self, nth: u64) -> Self {
        self.from = nth;
        self
    }

    /// At most so many times in one process.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = times;
        self
    }

    /// One time in all processes together: a file beside the record remembers it over restarts.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// The answer is found at once and sent later; others may overtake it.
    #[must_use]
    pub fn delay(mut self, ms: u64) -> Self {
        self.delay_ms = ms;
        self
    }

    #[must_use]
    pub fn crash(mut self, when: When, death: Death) -> Self {
        self.crash = Some(when);
        self.death = death;
        self
    }

    /// Never answered; other messages are.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.hang = true;
        self
    }

    /// The whole server stops, and stops reading its input.
    #[must_use]
    pub fn freeze(mut self) -> Self {
        self.freeze = true;
        self
    }

    /// An error instead of the answer.
    #[must_use]
    pub fn fail(self, code: i64, message: &str, data: Value) -> Self {
        let mut error = json!({ "code": code, "message": message });
        if !data.is_null() {
            error["data"] = data;
        }
        self.odd_error(error)
    }

    /// An `error` member of any shape: without a message, with a text as its code.
    #[must_use]
    pub fn odd_error(mut self, error: Value) -> Self {
        self.error = Some(error);
        self
    }

    /// This result instead of the true one.
    #[must_use]
    pub fn answer(mut self, result: Value) -> Self {
        self.result = Some(result);
        self
    }

    /// The reply is sent two times.
    #[must_use]
    pub fn twice(mut self) -> Self {
        self.twice = true;
        self
    }

    /// Before the reply, two replies to ids that nobody asked: a number and a text.
    #[must_use]
    pub fn stray_reply(mut self) -> Self {
        self.stray_reply = true;
        self
    }

    /// Before the reply, a well-formed header with a body that is no JSON.
    #[must_use]
    pub fn broken_frame(mut self) -> Self {
        self.broken_frame = true;
        self
    }

    /// The reply takes at least so many bytes: a list repeats its elements, a hover its text; anything else
    /// gets an unknown member beside the result.
    #[must_use]
    pub fn huge(mut self, bytes: u64) -> Self {
        self.huge_bytes = bytes;
        self
    }

    /// So many bytes on stderr before the message is handled; the server waits until they are read.
    #[must_use]
    pub fn flood(mut self, bytes: u64) -> Self {
        self.flood_bytes = bytes;
        self
    }

    /// So many megabytes are allocated, touched and kept.
    #[must_use]
    pub fn allocate(mut self, mb: u64) -> Self {
        self.allocate_mb = mb;
        self
    }
}
