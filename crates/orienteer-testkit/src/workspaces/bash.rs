//! Shell scripts.

/// Two scripts, one sources the other.
///
/// Names (each stands at `path` line:column, both from 1, columns in characters):
/// - `log_info` lib/log.sh 5:1, a function
/// - `log_error` lib/log.sh 10:10, a function, declared with the keyword
/// - `log_info` main.sh 10:3, called by `deploy`
/// - `log_info` main.sh 16:14, called at the top, with an emoji before it on its line: from 0 it is 13 in
///   characters, 14 in UTF-16, 16 in UTF-8
/// - `deploy` main.sh 8:1
/// - `deploy` main.sh 15:1, called
/// - `TARGET` main.sh 6:1, a variable
///
/// [`BASH_BROKEN`] is a text for main.sh that does not parse.
pub const BASH: &str = r#"//- /lib/log.sh
#!/usr/bin/env bash
# Messages for people.

# Says something on standard output.
log_info() {
  echo "info: $1"
}

# Says something on standard error.
function log_error() {
  echo "error: $1" >&2
}
//- /main.sh
#!/usr/bin/env bash
set -euo pipefail
# shellcheck source=lib/log.sh
source ./lib/log.sh

TARGET="production"

deploy() {
  local name="$1"
  log_info "deploying $name to $TARGET"
  if [ -z "$name" ]; then
    log_error "no name"
  fi
}
deploy "app"
party="🎉" && log_info "$party"
"#;

/// A text for main.sh with a function that is never closed. bash-language-server says nothing about it without
/// shellcheck: it publishes an empty list.
pub const BASH_BROKEN: &str = r#"#!/usr/bin/env bash
deploy() {
  echo "$1"
"#;
