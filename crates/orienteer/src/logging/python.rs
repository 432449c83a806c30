//! Lines of the log as Python's `logging` writes them, for dialects whose users have tools that read those.

use std::fmt;
use std::time::SystemTime;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

use crate::render::text;

/// How an event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// One object a line: `timestamp`, `level`, `logger`, `message`, `request_id`, and the event's own fields.
    Json,
    /// `2026-01-21 10:00:00.123 [INFO] logger: message`, and the event's own fields behind it.
    Text,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let request = ctx.event_scope().and_then(|scope| {
            // The fields of a span are kept as JSON.
            scope.from_root().find_map(|span| {
                let extensions = span.extensions();
                let kept = extensions.get::<FormattedFields<N>>()?;
                let kept: Value = serde_json::from_str(&kept.fields).ok()?;
                kept.get("request").map(|number| number.to_string())
            })
        });
        let about = event.metadata();
        writeln!(writer, "{}", self.line(SystemTime::now(), *about.level(), about.target(), request, fields))
    }
}

impl Lines {
    fn line(
        self,
        now: SystemTime,
        level: Level,
        logger: &str,
        request: Option<String>,
        fields: Fields,
    ) -> String {
        let Fields { message, others } = fields;
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let second = text::time(now);
        let second = second.trim_end_matches('Z');
        if self == Self::Json {
            let mut line = Map::new();
            line.insert(
                "timestamp".to_owned(),
                json!(format!("{second}.{:06}+00:00", since.subsec_micros())),
            );
            line.insert("level".to_owned(), json!(name(level)));
            line.insert("logger".to_owned(), json!(logger));
            line.insert("message".to_owned(), json!(message));
            if let Some(request) = request {
                line.insert("request_id".to_owned(), json!(request));
            }
            for (name, value) in others {
                line.entry(name).or_insert(value);
            }
            return Value::Object(line).to_string();
        }
        let others: String = others.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let request = request.map(|request| format!(" request_id={request}")).unwrap_or_default();
        let second = second.replace('T', " ");
        let millis = since.subsec_millis();
        // A message holds what comes from outside, and must not begin a line of its own.
        let message = message.replace(['\n', '\r'], " ");
        format!("{second}.{millis:03} [{}] {logger}: {message}{request}{others}", name(level))
    }
}

/// The levels by the names that Python has for them.
fn name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARNING",
        Level::INFO => "INFO",
        _ => "DEBUG",
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn take(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            ("message", other) => self.message = other.to_string(),
            (name, value) => drop(self.others.insert(name.to_owned(), value)),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.take(field, json!(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.take(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.take(field, json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.take(field, json!(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.take(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.take(field, json!(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn fields() -> Fields {
        let others = Map::from_iter([("tool_name".to_owned(), json!("get_hover"))]);
        Fields { message: "Tool\ncalled".to_owned(), others }
    }

    #[test]
    fn lines_are_those_of_python() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_micros(951_782_400_012_345);
        let json = Lines::Json.line(now, Level::WARN, "a.b", Some("7".to_owned()), fields());
        assert_eq!(
            json,
            r#"{"timestamp":"2000-02-29T00:00:00.012345+00:00","level":"WARNING","logger":"a.b","message":"Tool\ncalled","request_id":"7","tool_name":"get_hover"}"#
        );
        let text = Lines::Text.line(now, Level::INFO, "a.b", None, fields());
        assert_eq!(text, r#"2000-02-29 00:00:00.012 [INFO] a.b: Tool called tool_name="get_hover""#);
    }
}
