//! Hosts and origins as headers and settings name them. Read exactly: what is not wholly understood is none.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host of its own name or address. Names do not differ by case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    Address(IpAddr),
    Name(String),
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Some(inside) = text.strip_prefix('[') {
            let address: Ipv6Addr = inside.strip_suffix(']')?.parse().ok()?;
            return Some(Self::Address(address.into()));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        (!text.is_empty() && text.bytes().all(legal)).then(|| Self::Name(text.to_ascii_lowercase()))
    }
}

/// `host` or `host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    pub(super) host: Host,
    pub(super) port: Option<u16>,
}

impl Authority {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.rsplit_once(':') {
            // The colons of an address stand inside its brackets.
            Some((host, port)) if !port.ends_with(']') => (host, Some(parse_port(port)?)),
            _ => (text, None),
        };
        Some(Self { host: Host::parse(host)?, port })
    }

    /// As people write it in settings: an address may stand without brackets.
    pub(super) fn parse_setting(text: &str) -> Option<Self> {
        let address = text.parse().ok().map(|address| Self { host: Host::Address(address), port: None });
        address.or_else(|| Self::parse(text))
    }

    /// One without a port stands for every port.
    pub(super) fn admits(&self, other: &Self) -> bool {
        self.host == other.host && (self.port.is_none() || self.port == other.port)
    }
}

/// Rust also takes a sign and leading zeros.
fn parse_port(text: &str) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

/// `scheme://host` or `scheme://host:port`, as a browser sends it. `null` is what every page without an origin
/// sends, so it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    scheme: String,
    host: Host,
    port: Option<u16>,
}

impl Origin {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.bytes().all(legal) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let Authority { host, port } = Authority::parse(authority)?;
        let usual = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Some(Self { scheme, host, port: port.or(usual) })
    }
}

/// An origin that may ask; with `:*` on any port.
#[derive(Debug, Clone)]
pub(super) struct AllowedOrigin {
    origin: Origin,
    any_port: bool,
}

impl AllowedOrigin {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let without = text.strip_suffix(":*");
        // With a port before the `:*` it would say two things.
        if without.is_some_and(|without| Origin::parse(&format!("{without}:1")).is_none()) {
            return None;
        }
        Some(Self { origin: Origin::parse(without.unwrap_or(text))?, any_port: without.is_some() })
    }

    pub(super) fn admits(&self, other: &Origin) -> bool {
        self.origin.scheme == other.scheme
            && self.origin.host == other.host
            && (self.any_port || self.origin.port == other.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_and_nothing_around_it() {
        let same =
            |left: &str, right: &str| Authority::parse(left).unwrap() == Authority::parse(right).unwrap();
        assert!(same("LocalHost:80", "localhost:80"));
        assert!(same("[::1]:80", "[0:0:0:0:0:0:0:1]:80"));
        assert!(!same("localhost", "localhost."));
        assert!(!same("127.0.0.1", "127.1"));
        for text in [
            "",
            ":80",
            "localhost:",
            "localhost:0",
            "localhost:080",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "localhost:80@evil",
            "user@localhost",
            "localhost/",
            "local host",
            " localhost",
            "localhost,evil",
            "localhost#",
            "localhost%00",
            "::1",
            "[::1",
            "::1]",
            "[::1]x",
            "[::1]:",
            "[127.0.0.1]",
            "[localhost]",
            "[fe80::1%eth0]",
            "localhöst",
        ] {
            assert_eq!(Authority::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        let same = |left: &str, right: &str| Origin::parse(left).unwrap() == Origin::parse(right).unwrap();
        assert!(same("HTTP://LOCALHOST", "http://localhost:80"));
        assert!(same("https://app.example:443", "https://app.example"));
        assert!(!same("http://app.example:443", "https://app.example:443"));
        assert!(same("http://[::1]:80", "http://[0::1]"));
        assert!(!same("tauri://localhost", "http://localhost"));
        for text in [
            "null",
            "NULL",
            "",
            "localhost",
            "//localhost",
            "://localhost",
            "http:localhost",
            "http:/localhost",
            "http://",
            "http:///",
            "http://localhost/",
            "http://localhost/path",
            "http://localhost?",
            "http://localhost#",
            "http://localhost:1@evil",
            "http://user@localhost",
            "http://localhost:80:80",
            "http://localhost:",
            "http://localhost http://evil",
            "http://localhost, http://evil",
            " http://localhost",
            "http://localhost ",
            "1http://localhost",
            "h ttp://localhost",
            "http://localhost\\evil",
            "http://::1",
            "file://",
        ] {
            assert_eq!(Origin::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_allowed_origin_means_one_port_unless_it_says_any() {
        let admits = |allowed: &str, origin: &str| {
            AllowedOrigin::parse(allowed).unwrap().admits(&Origin::parse(origin).unwrap())
        };
        assert!(admits("http://localhost:*", "http://localhost:5173"));
        assert!(admits("http://localhost:*", "http://localhost"));
        assert!(admits("http://[::1]:*", "http://[::1]:5173"));
        assert!(!admits("http://localhost:*", "https://localhost:5173"));
        assert!(!admits("http://localhost:*", "http://localhost.evil.example:80"));
        assert!(admits("https://app.example", "https://app.example:443"));
        assert!(!admits("https://app.example", "https://app.example:8443"));
        for text in [
            "null",
            "*",
            "https://*",
            "https://*.example",
            "https://app.example:443:*",
            "https://:*",
            "app.example",
        ] {
            assert!(AllowedOrigin::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_setting_may_leave_out_brackets_and_the_port() {
        let admits = |allowed: &str, host: &str| {
            Authority::parse_setting(allowed).unwrap().admits(&Authority::parse(host).unwrap())
        };
        assert!(admits("::1", "[::1]:8000"));
        assert!(admits("box.example", "BOX.example:8000"));
        assert!(!admits("box.example:80", "box.example:8000"));
        assert!(!admits("box.example:80", "box.example"));
    }
}
