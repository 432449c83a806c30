//! What was fetched is found again, and what was changed is noticed.

use std::fs;

use orienteer_base::Cancel;
use orienteer_remote::data::{Data, DataError, Delivery, Fault, Kind, Order};
use orienteer_remote::{Client, FetchError, Proxies, UnpackError};

use crate::fetching::digest;
use crate::server::{Reply, Server};
use crate::unpacking::tar;

fn fetch(data: &Data, order: &Order) -> Result<Delivery, DataError> {
    let client = Client::new(&Proxies::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(data.fetch(&client, order, &Cancel::new(), &|_, _| {}))
}

fn order(kind: Kind, name: &str, url: String, content: &[u8], unpack: bool) -> Order {
    Order { kind, name: name.into(), url, sha256: digest(content), unpack }
}

#[test]
fn a_model_is_fetched_unpacked_listed_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::new(folder.path());
    let archive = tar(&[
        ("model.safetensors", tar::EntryType::Regular, b"weights"),
        ("more/tokenizer.json", tar::EntryType::Regular, b"{}"),
    ]);
    let server = Server::new(&archive, &[Reply::Well]);
    let order = order(Kind::Model, "small", server.url("small.tar.gz"), &archive, true);
    let delivery = fetch(&data, &order).unwrap();
    assert_eq!(delivery.received, archive.len() as u64);
    assert_eq!(delivery.folder, data.content(Kind::Model, "small").unwrap());
    let files: Vec<&str> = delivery.record.files.keys().map(String::as_str).collect();
    assert_eq!(files, ["model.safetensors", "more/tokenizer.json"]);
    assert_eq!(fs::read(delivery.folder.join("model.safetensors")).unwrap(), b"weights");
    assert_eq!(data.list(), [(Kind::Model, "small".to_owned())]);
    assert_eq!(data.verify(&Cancel::new()).unwrap()[0].faults, []);

    assert_eq!(fetch(&data, &order).unwrap().received, 0, "it is there");
    assert_eq!(server.ranges().len(), 1);

    fs::write(delivery.folder.join("model.safetensors"), "malice").unwrap();
    fs::remove_file(delivery.folder.join("more/tokenizer.json")).unwrap();
    fs::write(delivery.folder.join("extra"), "").unwrap();
    let faults = data.verify_one(Kind::Model, "small", &Cancel::new()).unwrap().faults;
    let expected = [
        Fault::Changed { path: "model.safetensors".into() },
        Fault::Missing { path: "more/tokenizer.json".into() },
        Fault::Added { path: "extra".into() },
    ];
    assert_eq!(faults, expected);
    assert_eq!(
        fetch(&data, &order).unwrap().received,
        archive.len() as u64,
        "what was changed is fetched again"
    );
    assert_eq!(data.verify(&Cancel::new()).unwrap()[0].faults, []);
    assert!(data.remove(Kind::Model, "small").unwrap());
    assert!(!data.remove(Kind::Model, "small").unwrap());
    assert_eq!(data.list(), []);
}

#[test]
fn a_single_file_keeps_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::new(folder.path());
    let server = Server::new(b"alpha\nbeta\n", &[Reply::Well]);
    let order = order(Kind::Dictionary, "en", server.url("words/en.txt?raw=1"), b"alpha\nbeta\n", false);
    let delivery = fetch(&data, &order).unwrap();
    assert_eq!(fs::read(delivery.folder.join("en.txt")).unwrap(), b"alpha\nbeta\n");
    assert_eq!(fetch(&data, &order).unwrap().received, 0);
}

#[test]
fn what_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::new(folder.path());
    let good = tar(&[("a", tar::EntryType::Regular, b"good")]);
    let server = Server::new(&good, &[Reply::Well]);
    fetch(&data, &order(Kind::Extension, "x", server.url("x"), &good, true)).unwrap();
    let evil = tar(&[("../a", tar::EntryType::Regular, b"evil")]);
    let server = Server::new(&evil, &[Reply::Well]);
    let error = fetch(&data, &order(Kind::Extension, "x", server.url("x"), &evil, true)).unwrap_err();
    assert!(matches!(error, DataError::Unpack(UnpackError::Outside { .. })), "{error}");
    let error = fetch(&data, &order(Kind::Extension, "x", server.url("x"), b"other", true)).unwrap_err();
    assert!(matches!(error, DataError::Fetch(FetchError::OtherContent { .. })), "{error}");
    assert_eq!(data.verify(&Cancel::new()).unwrap()[0].faults, []);
    let content = data.content(Kind::Extension, "x").unwrap();
    assert_eq!(fs::read(content.join("a")).unwrap(), b"good");
    assert!(!folder.path().join("extensions/a").exists());
}

#[test]
fn names_do_not_lead_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::new(folder.path());
    for name in ["", "..", ".hidden", "a/b", "a\\b", "../x", "é", &"x".repeat(65)] {
        assert!(matches!(data.content(Kind::Model, name), Err(DataError::Name { .. })), "{name}");
    }
}

#[test]
fn a_folder_without_a_record_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::new(folder.path());
    let content = data.content(Kind::Model, "found").unwrap();
    fs::create_dir_all(&content).unwrap();
    let verified = data.verify(&Cancel::new()).unwrap();
    assert!(matches!(&verified[0].faults[..], [Fault::NoRecord { .. }]), "{verified:?}");
    fs::write(content.with_file_name("record.json"), "{ broken").unwrap();
    let verified = data.verify(&Cancel::new()).unwrap();
    assert!(matches!(&verified[0].faults[..], [Fault::NoRecord { .. }]), "{verified:?}");
}
