//! A program that is missing is looked for again, and nobody who has another server waits for that.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use orienteer_lsp::definition::Candidate;
use orienteer_testkit::fake::{PROJECT, Script, fake_lsp_binary};
use orienteer_testkit::tree;

use crate::support::{Stage, ms};

#[tokio::test(flavor = "multi_thread")]
async fn a_running_server_is_not_kept_waiting_by_a_better_one_that_is_missing() {
    let tree = tree(PROJECT);
    let folder = tree.beside("bin");
    // Which of two programs of that name it is, it says when it is asked, after a while.
    let program = folder.join("preferred");
    let text = format!(
        "#!/bin/sh\ncd '{}'\nif [ \"$1\" = --version ]; then says=$(cat says); echo run >> runs; sleep $(cat pause); echo $says; else exec '{}' \"$@\"; fi\n",
        folder.display(),
        fake_lsp_binary().display()
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let say = |pause: &str, says: &str| {
        fs::write(folder.join("pause"), pause).unwrap();
        fs::write(folder.join("says"), says).unwrap();
    };
    let runs = || fs::read_to_string(folder.join("runs")).unwrap_or_default().lines().count();
    say("0", "another one");

    let stage = Stage::of(
        tree,
        Script::new(),
        |_| {},
        |spec| {
            let mut preferred = spec.catalog[0].clone();
            preferred.id = "preferred".to_owned();
            let args = preferred.candidates[0].args.clone();
            preferred.candidates = vec![Candidate {
                program: program.display().to_string(),
                args,
                probe: vec!["--version".to_owned()],
                probe_contains: vec!["the right one".to_owned()],
                ..Candidate::default()
            }];
            spec.catalog.insert(0, preferred);
        },
    );
    stage.outline("a.fake").await;
    assert_eq!((stage.lease("a.fake").await.server_id(), runs()), ("fake", 1));

    say("5", "another one");
    tokio::time::sleep(ms(3_100)).await;
    let begun = Instant::now();
    stage.outline("a.fake").await;
    stage.outline("b.fake").await;
    assert!(begun.elapsed() < ms(4_000), "{:?}", begun.elapsed());
    stage.until("a second look", |_| runs() == 2).await;

    // Somebody installs it.
    say("0", "the right one");
    let until = Instant::now() + ms(30_000);
    while stage.lease("a.fake").await.server_id() != "preferred" {
        assert!(Instant::now() < until, "it was found and is not used");
        tokio::time::sleep(ms(20)).await;
    }
    assert_eq!(runs(), 3);
    stage.outline("a.fake").await;
    stage.end().await;
}
