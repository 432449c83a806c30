//! Does a file arrive whole, or not at all?

use std::path::Path;
use std::sync::Mutex;

use orienteer_base::{Cancel, Digest};
use orienteer_remote::{Client, FetchError, Fetched, Proxies, Wanted, fetch};
use orienteer_testkit::Web;

use crate::server::{Reply, Server};

fn content() -> Vec<u8> {
    (0..300_000_u32).flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Digest::of(&mut &bytes[..], u64::MAX, &Cancel::new()).unwrap()
}

fn wanted(url: String, bytes: &[u8], path: &Path) -> Wanted {
    Wanted { url, sha256: digest(bytes), path: path.to_path_buf(), most_bytes: 10 << 20 }
}

fn ask(wanted: &Wanted) -> Result<Fetched, FetchError> {
    let client = Client::new(&Proxies::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(fetch(&client, wanted, &Cancel::new(), &|_, _| {}))
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_arrives_and_is_not_fetched_twice() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let server = Server::new(&bytes, &[Reply::Well]);
    let wanted = wanted(server.url("model.bin"), &bytes, &folder.path().join("new/model.bin"));
    let size = bytes.len() as u64;
    assert_eq!(ask(&wanted).unwrap(), Fetched { bytes: size, received: size });
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    assert_eq!(ask(&wanted).unwrap(), Fetched { bytes: size, received: 0 });
    assert_eq!(server.ranges(), ["-"]);
    // Somebody changed it: it is fetched again.
    std::fs::write(&wanted.path, "other").unwrap();
    assert_eq!(ask(&wanted).unwrap().received, size);
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    assert_eq!(names(wanted.path.parent().unwrap()), ["model.bin"]);
}

#[test]
fn a_real_server_that_knows_no_parts_is_enough() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("model.bin"), &bytes).unwrap();
    let web = Web::start(folder.path());
    let wanted = wanted(web.url("model.bin"), &bytes, &folder.path().join("here"));
    let part = folder.path().join(format!("here.{}.part", &wanted.sha256.to_string()[..16]));
    std::fs::write(part, &bytes[..1000]).unwrap();
    let fetched = ask(&wanted);
    let absent = ask(&Wanted { url: web.url("none"), path: folder.path().join("none"), ..wanted.clone() });
    assert_eq!(fetched.unwrap().received, bytes.len() as u64, "from the beginning");
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    assert!(matches!(absent, Err(FetchError::Refused { status: 404, .. })), "{absent:?}");
}

#[test]
fn a_broken_connection_is_taken_up_where_it_broke() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let server = Server::new(&bytes, &[Reply::CutAfter(100_000), Reply::CutAfter(50_000), Reply::Well]);
    let wanted = wanted(server.url("f"), &bytes, &folder.path().join("f"));
    let fetched = ask(&wanted).unwrap();
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    assert_eq!(fetched.received, bytes.len() as u64, "no byte came twice");
    assert_eq!(server.ranges(), ["-", "bytes=100000-", "bytes=150000-"]);
    assert_eq!(names(folder.path()), ["f"]);
}

#[test]
fn what_came_is_kept_for_the_next_time() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let broken = Server::new(&bytes, &[Reply::CutAfter(70_000), Reply::Status(503)]);
    let mut wanted = wanted(broken.url("f"), &bytes, &folder.path().join("f"));
    let error = ask(&wanted).unwrap_err();
    assert!(matches!(&error, FetchError::Unreachable { reason, .. } if reason.contains("503")), "{error}");
    assert!(!wanted.path.exists());
    let whole = Server::new(&bytes, &[Reply::Well]);
    wanted.url = whole.url("f");
    assert_eq!(ask(&wanted).unwrap().received, bytes.len() as u64 - 70_000);
    assert_eq!(whole.ranges(), ["bytes=70000-"]);
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
}

#[test]
fn a_beginning_that_was_of_something_else_is_given_up() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let server = Server::new(&bytes, &[Reply::Well]);
    let wanted = wanted(server.url("f"), &bytes, &folder.path().join("f"));
    let part = folder.path().join(format!("f.{}.part", &wanted.sha256.to_string()[..16]));
    std::fs::write(&part, "something else").unwrap();
    ask(&wanted).unwrap();
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    assert_eq!(server.ranges(), ["bytes=14-", "-"]);
    // Longer than the file itself, so that the server has nothing to go on with.
    std::fs::remove_file(&wanted.path).unwrap();
    std::fs::write(&part, vec![0; bytes.len() + 1]).unwrap();
    ask(&wanted).unwrap();
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    // A server that goes on elsewhere is not believed.
    std::fs::remove_file(&wanted.path).unwrap();
    std::fs::write(&part, &bytes[..10]).unwrap();
    let confused = Server::new(&bytes, &[Reply::ElsewhereThan, Reply::Well]);
    ask(&Wanted { url: confused.url("f"), ..wanted.clone() }).unwrap();
    assert_eq!(std::fs::read(&wanted.path).unwrap(), bytes);
    assert_eq!(confused.ranges(), ["bytes=10-", "-"]);
}

#[test]
fn other_content_is_refused_and_leaves_nothing() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let server = Server::new(b"malice", &[Reply::Whole]);
    let wanted = wanted(server.url("f"), &bytes, &folder.path().join("f"));
    let error = ask(&wanted).unwrap_err();
    let FetchError::OtherContent { expected, found, .. } = &error else { panic!("{error}") };
    assert_eq!((*expected, *found), (digest(&bytes), digest(b"malice")));
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn too_much_is_refused_whether_or_not_it_is_announced() {
    let bytes = content();
    for reply in [Reply::Well, Reply::Unmeasured] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(&bytes, &[reply]);
        let mut wanted = wanted(server.url("f"), &bytes, &folder.path().join("f"));
        wanted.most_bytes = 100_000;
        let error = ask(&wanted).unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { limit: 100_000, .. }), "{error}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn redirects_stay_where_requests_may_go() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let there = Server::new(&bytes, &[Reply::Well]);
    let here = Server::new(&[], &[Reply::Redirect(there.url("f"))]);
    ask(&wanted(here.url("f"), &bytes, &folder.path().join("f"))).unwrap();
    let ask_for = |to: &str| {
        let server = Server::new(&[], &[Reply::Redirect(to.into())]);
        let error = ask(&wanted(server.url("g"), &bytes, &folder.path().join("g"))).unwrap_err();
        (error.to_string(), error, server.ranges().len())
    };
    let (text, error, asked) = ask_for("http://example.org/f");
    assert!(matches!(error, FetchError::Redirect { .. }) && text.contains("https://"), "{text}");
    assert_eq!(asked, 1, "it would not lead elsewhere the next time");
    let (text, error, _) = ask_for("file:///etc/passwd");
    assert!(matches!(error, FetchError::Refused { status: 302, .. }), "{text}");
    let (text, error, asked) = ask_for("/f");
    assert!(matches!(error, FetchError::Redirect { .. }) && text.contains("too many redirects"), "{text}");
    assert_eq!(asked, 6);
}

#[test]
fn nobody_at_the_address_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let wanted = wanted(format!("http://127.0.0.1:{port}/f"), b"", &folder.path().join("f"));
    let error = ask(&wanted).unwrap_err().to_string();
    assert!(error.contains("no connection") && error.contains("try again"), "{error}");
}

#[test]
fn two_at_once_do_not_write_into_each_other() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let server = Server::new(&bytes, &[Reply::Well]);
    let wanted = wanted(server.url("f"), &bytes, &folder.path().join("f"));
    let part = folder.path().join(format!("f.{}.part", &wanted.sha256.to_string()[..16]));
    let other = std::fs::File::create(&part).unwrap();
    other.lock().unwrap();
    let error = ask(&wanted).unwrap_err();
    assert!(matches!(error, FetchError::Busy { .. }), "{error}");
    drop(other);
    ask(&wanted).unwrap();
}

#[test]
fn progress_grows_to_the_whole_and_stopping_keeps_what_came() {
    let (bytes, folder) = (content(), tempfile::tempdir().unwrap());
    let server = Server::new(&bytes, &[Reply::Well]);
    let wanted = wanted(server.url("f"), &bytes, &folder.path().join("f"));
    let client = Client::new(&Proxies::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cancel = Cancel::new();
    let told = Mutex::new(Vec::new());
    let stop = |here: u64, total: Option<u64>| {
        told.lock().unwrap().push((here, total));
        cancel.cancel();
    };
    let stopped = runtime.block_on(fetch(&client, &wanted, &cancel, &stop)).unwrap_err();
    assert!(matches!(stopped, FetchError::Stopped), "{stopped}");
    let (first, total) = told.lock().unwrap()[0];
    assert!(first > 0 && first < bytes.len() as u64);
    assert_eq!(total, Some(bytes.len() as u64));
    let rest = ask(&wanted).unwrap();
    assert_eq!(rest.received, bytes.len() as u64 - first);
}
