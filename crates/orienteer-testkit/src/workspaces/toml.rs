//! A configuration in TOML.

/// Tables, a list of tables, and letters that are longer than one byte.
///
/// - `server` settings.toml 3:2, a table
/// - `port` settings.toml 5:1, a key
/// - `users` settings.toml 10:3, a list of tables
///
/// [`TOML_BROKEN`] is a text for settings.toml with one error.
pub const TOML: &str = r#"//- /settings.toml
title = "größe 📐"

[server]
host = "localhost"
port = 8080

[server.limits]
rate = 10

[[users]]
name = "a"
"#;

/// A text for settings.toml in which a key stands twice: at 3:1.
pub const TOML_BROKEN: &str = r#"[server]
host = "localhost"
host = "elsewhere"
"#;
