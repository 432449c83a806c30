//! Which variables does a child get by default?

use std::ffi::OsStr;

/// The variables that almost every program needs: where programs are, whose home it is, which language
/// to speak and where to put temporary files.
///
/// Everything else in a developer's environment (tokens, proxies with passwords, tool settings) stays
/// with us unless a caller asks for it by name.
pub const DEFAULT_ALLOWED: &[&str] = &[
    // Unix and Windows alike.
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "USER",
    "LOGNAME",
    // Where programs on Unix keep their caches and settings.
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    // Windows programs fail in strange ways (no sockets, no temporary files) without these.
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "CommonProgramFiles",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
];

/// Whether an entry of an allow list covers the variable `name`.
pub(super) fn matches(pattern: &str, name: &OsStr) -> bool {
    let Some(prefix) = pattern.strip_suffix('*') else {
        return super::same_name(OsStr::new(pattern), name);
    };
    // Comparing the encoded bytes works for names that are not Unicode too, because an allow list's
    // prefix is Unicode and both encodings keep Unicode text as it is.
    let (prefix, name) = (prefix.as_bytes(), name.as_encoded_bytes());
    name.len() >= prefix.len()
        && if cfg!(windows) {
            name[..prefix.len()].eq_ignore_ascii_case(prefix)
        } else {
            name.starts_with(prefix)
        }
}
