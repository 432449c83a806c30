//! Odd bytes: the raw client survives them, so what breaks on them is what is tested.

use orienteer_testkit::fake::{Death, Headers, Rule, Script, When, Writing};

use crate::{Stage, all, output};

fn survives(script: Script) {
    let mut stage = Stage::ready(script);
    assert_eq!(stage.references(), all());
    assert_eq!(stage.references(), all());
}

#[test]
fn every_way_of_writing_frames_is_readable() {
    for writing in [Writing::Whole, Writing::SingleBytes, Writing::Merged] {
        survives(Script::new().writing(writing));
    }
    for headers in
        [Headers::LowerCase, Headers::ContentTypeFirst, Headers::ContentTypeLast, Headers::LineFeedOnly]
    {
        survives(Script::new().headers(headers).garbage_between_frames("\n"));
        survives(Script::new().headers(headers));
    }
}

#[test]
fn garbage_is_between_the_frames_and_before_them() {
    survives(Script::new().stdout_before_initialize("starting up…\n").garbage_between_frames("a log line\n"));
    survives(Script::new().garbage_between_frames("no newline: "));
    survives(Script::new().garbage_between_frames("Content-Length: many\r\n\r\n"));
    survives(Script::new().rule(Rule::on("*").broken_frame()));
}

#[test]
fn the_bytes_are_what_the_script_wants() {
    assert!(output(Script::new()).starts_with("Content-Length: "));
    assert!(output(Script::new().headers(Headers::LowerCase)).starts_with("content-length:"));
    assert!(output(Script::new().headers(Headers::ContentTypeFirst)).starts_with("Content-Type: "));
    assert!(output(Script::new().headers(Headers::ContentTypeLast)).contains("\r\nContent-Type: "));
    assert!(!output(Script::new().headers(Headers::LineFeedOnly)).contains('\r'));
    assert!(output(Script::new().stdout_before_initialize("hello\n")).starts_with("hello\nContent-"));
    assert!(output(Script::new().garbage_between_frames("oops ")).starts_with("oops Content-"));
    let merged = output(Script::new().writing(Writing::Merged));
    assert_eq!(merged.matches("Content-Length: ").count(), 3);
    let broken = output(Script::new().rule(Rule::on("initialize").broken_frame()));
    assert_eq!(broken.matches("Content-Length: ").count(), 2);
    let half = output(Script::new().crash("initialize", When::Middle, Death::Exit(1)));
    let (header, body) = half.split_once("\r\n\r\n").unwrap();
    let length: usize = header.trim_start_matches("Content-Length: ").parse().unwrap();
    assert!(body.starts_with("{\"jsonrpc\"") && (1..length).contains(&body.len()), "{half}");
}

#[test]
fn stderr_is_drained_and_kept_at_its_end() {
    let mut stage = Stage::ready(Script::new().stderr("the first line").stderr_flood(10 << 20));
    assert_eq!(stage.references(), all());
    let kept = stage.client.stderr();
    assert!(kept.ends_with("flood\n") && kept.len() <= 64 << 10);
}
