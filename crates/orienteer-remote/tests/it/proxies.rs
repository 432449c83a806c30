//! Is a forge reached behind a proxy and a private authority, and who gets to see what?

use std::net::SocketAddr;

use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::api::{Reply, Request};
use orienteer_remote::{Api, ApiError, Cache, CacheLimits, Client, Credential, Proxies, Scheme, Secret};
use orienteer_testkit::{Authority, Proxy};

use crate::stub::{Answer, Stub, pacing};

const TOKEN: &str = "s3cret-of-the-forge";
/// `user:proxy-pass` in base64.
const SHOWN: &str = "Basic dXNlcjpwcm94eS1wYXNz";

fn forge() -> Stub {
    Stub::start(|asked, _| Answer::json(&format!("{:?}", asked.target)))
}

fn place(stub: &Stub) -> SocketAddr {
    stub.name().parse().unwrap()
}

/// Where nobody listens.
fn nowhere() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn with_password(proxy: &Proxy) -> Option<String> {
    Some(format!("http://user:proxy-pass@{}", proxy.name()))
}

async fn ask(proxies: &Proxies, base: &str) -> Result<Reply, ApiError> {
    let client = Client::new(proxies).unwrap();
    let api = Api::new(client, Cache::in_memory(CacheLimits::default()), pacing());
    let base = base.parse().unwrap();
    let credential = Credential::new(Secret::new(TOKEN).unwrap(), Scheme::Bearer, &base);
    assert!(credential.is_some());
    api.get(&Request { credential, ..Request::new(&base, "repos/a/b") }).await
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[tokio::test]
async fn a_forge_of_this_machine_is_reached_through_a_proxy_of_this_machine() {
    let forge = forge();
    let proxy = Proxy::start(place(&forge), Some(SHOWN));
    let proxies = Proxies { http: with_password(&proxy), ..Proxies::default() };
    // Nobody listens there, so an answer can only have come through the proxy.
    let base = format!("http://{}", nowhere());
    let reply = ask(&proxies, &base).await.unwrap();
    assert_eq!(reply.json::<String>().unwrap(), "/repos/a/b");
    let heads = proxy.heads();
    assert!(heads[0].starts_with(&format!("GET {base}/repos/a/b HTTP/1.1\r\n")), "{heads:?}");
    assert_eq!(header(&heads[0], "proxy-authorization"), Some(SHOWN));
    let asked = forge.asked();
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    assert_eq!(asked[0].header("proxy-authorization"), None);
}

#[tokio::test]
async fn who_is_named_as_an_exception_is_asked_without_the_proxy() {
    let forge = forge();
    let proxy = Proxy::start(nowhere(), None);
    let http = with_password(&proxy);
    let proxies = Proxies { http, except: Some("example.org,127.0.0.1".into()), ..Proxies::default() };
    assert!(ask(&proxies, &format!("http://{}", forge.name())).await.is_ok());
    assert_eq!((proxy.heads().len(), forge.count()), (0, 1));
}

#[tokio::test]
async fn what_is_not_encrypted_never_leaves_the_machine_by_way_of_a_proxy() {
    let forge = forge();
    for http in ["http://proxy.invalid:3128", "proxy.invalid:3128"] {
        let proxies = Proxies { http: Some(http.into()), ..Proxies::default() };
        assert!(ask(&proxies, &format!("http://{}", forge.name())).await.is_ok(), "{http}");
    }
}

#[tokio::test]
async fn a_tunnel_is_asked_for_without_the_token_of_the_forge() {
    let forge = forge();
    let authority = Authority::new("DNS:forge.invalid");
    let door = authority.door(place(&forge).port());
    let proxy = Proxy::start(([127, 0, 0, 1], door.port()).into(), Some(SHOWN));
    let proxies = Proxies { https: with_password(&proxy), ..Proxies::default() };
    // The name has no address: only the proxy can lead there. The authority is known to nobody in this process.
    let problem = Problem::from(ask(&proxies, "https://forge.invalid").await.unwrap_err());
    assert_eq!((problem.kind, problem.detail), (ErrorKind::Network, Some("certificate")), "{problem}");
    let heads = proxy.heads();
    assert_eq!(heads.len(), 1, "it does not become better by asking again: {heads:?}");
    assert!(heads[0].starts_with("CONNECT forge.invalid:443 HTTP/1.1\r\n"), "{heads:?}");
    assert_eq!(header(&heads[0], "proxy-authorization"), Some(SHOWN));
    assert_eq!(header(&heads[0], "authorization"), None);
    assert!(!heads[0].contains(TOKEN), "{heads:?}");
    assert_eq!(forge.count(), 0, "who could not show who it is was told nothing");
}

#[tokio::test]
async fn a_proxy_that_turns_us_away_is_told_without_its_password() {
    let proxy = Proxy::start(nowhere(), Some("Basic b3RoZXI6b3RoZXI="));
    let proxies = Proxies { https: with_password(&proxy), ..Proxies::default() };
    let problem = Problem::from(ask(&proxies, "https://forge.invalid").await.unwrap_err());
    assert_eq!(problem.kind, ErrorKind::Network);
    assert!(problem.message.contains("proxy auth"), "{problem}");
    assert!(!problem.message.contains("proxy-pass") && !problem.message.contains(TOKEN), "{problem}");
}

#[tokio::test]
async fn an_authority_that_nobody_knows_is_named_as_the_cause() {
    let forge = forge();
    let authority = Authority::new("DNS:localhost");
    let door = authority.door(place(&forge).port());
    let base = format!("https://localhost:{}", door.port());
    let problem = Problem::from(ask(&Proxies::default(), &base).await.unwrap_err());
    assert_eq!((problem.kind, problem.detail), (ErrorKind::Network, Some("certificate")), "{problem}");
    for words in ["signed by an authority", "certificate store", "SSL_CERT_FILE", &base["https://".len()..]] {
        assert!(problem.message.contains(words), "{words}: {problem}");
    }
    assert_eq!(forge.count(), 0);
}
