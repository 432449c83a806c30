//! A `Remote` as the product has it, pointed at a forge on this machine.

use std::path::Path;

use orienteer_base::remote::{Forge, RepoRef, Where};
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_remote::{
    CacheLimits, Client, Credentials, HostSpec, Hosts, Known, Pacing, Proxies, RegistrySpec, Remote,
    RemoteSpec, Secret, Source,
};

/// Knows one host, and perhaps a token for it.
pub(crate) fn remote(
    forge: Forge,
    host: &str,
    api: Option<&str>,
    token: Option<&str>,
    cache: Option<&Path>,
    pacing: Pacing,
) -> Remote {
    let known = token.map(|token| Known {
        host: host.to_owned(),
        source: Source::Config,
        user: None,
        secret: Secret::new(token).unwrap(),
    });
    let spec = HostSpec { name: host.to_owned(), forge, api: api.map(str::to_owned) };
    Remote::new(RemoteSpec {
        client: Client::new(&Proxies::default()).unwrap(),
        cache: cache.map(Path::to_path_buf),
        limits: CacheLimits::default(),
        pacing,
        hosts: Hosts { known: vec![spec], default: Some(host.to_owned()) },
        credentials: Credentials::new(known.into_iter().collect()),
        registries: RegistrySpec::unknown(&Problem::new(ErrorKind::PrerequisiteMissing, "not asked here")),
    })
}

pub(crate) fn repo(owner: &str, name: &str, reference: Option<&str>) -> RepoRef {
    RepoRef {
        at: Where::default(),
        owner: owner.into(),
        repo: name.into(),
        reference: reference.map(str::to_owned),
    }
}

pub(crate) fn go() -> Cancel {
    Cancel::new()
}
