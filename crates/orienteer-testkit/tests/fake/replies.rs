//! Replies that are late, wrong, odd or too many.

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use orienteer_testkit::fake::{HoverShape, Locations, Rule, Script};
use serde_json::{Value, json};

use crate::{Stage, all};

const REFERENCES: &str = "textDocument/references";

#[test]
fn latency_delays_one_method_and_lets_others_overtake() {
    let mut stage = Stage::ready(Script::new().latency(REFERENCES, 1000));
    let params = stage.at("a.fake", 1, 6);
    let started = Instant::now();
    let id = stage.client.begin(REFERENCES, params);
    stage.ask("textDocument/hover", "a.fake", 1, 6);
    assert!(started.elapsed() < Duration::from_millis(1000));
    let answer = stage.client.response(id, crate::PATIENCE).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(1000));
    assert_eq!(stage.places(&answer["result"]), all());
}

#[test]
fn a_late_answer_can_be_cancelled() {
    let mut stage = Stage::ready(Script::new().latency(REFERENCES, 60_000));
    let params = stage.at("a.fake", 1, 6);
    let id = stage.client.begin(REFERENCES, params);
    stage.client.notify("$/cancelRequest", json!({ "id": id }));
    let answer = stage.client.response(id, crate::PATIENCE).unwrap();
    assert_eq!(answer["error"]["code"], -32800);
}

#[test]
fn a_hanging_method_is_never_answered_and_others_are() {
    let mut stage = Stage::ready(Script::new().rule(Rule::on(REFERENCES).from(2).times(1).hang()));
    assert_eq!(stage.references(), all());
    let params = stage.at("a.fake", 1, 6);
    let id = stage.client.begin(REFERENCES, params);
    assert_eq!(stage.client.response(id, Duration::from_millis(200)), Err(RecvTimeoutError::Timeout));
    assert_eq!(stage.references(), all(), "only the second one hangs");
}

#[test]
fn a_frozen_server_does_nothing_more() {
    let mut stage = Stage::ready(Script::new().freeze("textDocument/hover"));
    let params = stage.at("a.fake", 1, 6);
    stage.client.begin("textDocument/hover", params.clone());
    let id = stage.client.begin(REFERENCES, params);
    assert_eq!(stage.client.response(id, Duration::from_millis(200)), Err(RecvTimeoutError::Timeout));
}

#[test]
fn storms_of_retryable_errors_end_with_the_answer() {
    let pull = "textDocument/diagnostic";
    let script = Script::new()
        .content_modified(REFERENCES, 3)
        .diagnostics(orienteer_testkit::fake::Diagnostics::Pull)
        .server_cancelled(pull, 2, true);
    let mut stage = Stage::ready(script);
    let params = stage.at("a.fake", 1, 6);
    assert_eq!(stage.client.try_request(REFERENCES, params.clone()).unwrap_err()["code"], -32801);
    let found = stage.client.steady_request(REFERENCES, params);
    assert_eq!(stage.places(&found), all());
    assert_eq!(stage.record.count(REFERENCES), 4);
    let params = json!({ "textDocument": { "uri": stage.uri("a.fake") } });
    let error = stage.client.try_request(pull, params.clone()).unwrap_err();
    assert_eq!((&error["code"], &error["data"]["retriggerRequest"]), (&json!(-32802), &json!(true)));
    assert_eq!(stage.client.steady_request(pull, params)["kind"], "full");
}

#[test]
fn answers_take_every_legal_shape() {
    let definition = "textDocument/definition";
    let mut stage = Stage::ready(Script::new().locations(Locations::Single));
    assert_eq!(stage.ask(definition, "b.fake", 4, 12)["uri"], stage.uri("a.fake"));
    assert_eq!(stage.ask(definition, "b.fake", 3, 0), Value::Null);
    let mut stage = Stage::ready(Script::new().locations(Locations::Links));
    assert_eq!(stage.ask(definition, "b.fake", 4, 12)[0]["targetUri"], stage.uri("a.fake"));
    let mut stage = Stage::ready(Script::new().answer_null(definition));
    assert_eq!(stage.ask(definition, "b.fake", 4, 12), Value::Null);

    let (signature, words) = ("def square(n) -> Number", "Squares a number.");
    for (shape, contents) in [
        (HoverShape::PlainText, json!({ "kind": "plaintext", "value": format!("{signature}\n\n{words}") })),
        (HoverShape::MarkedString, json!(format!("{signature}\n\n{words}"))),
        (HoverShape::MarkedPair, json!({ "language": "fake", "value": signature })),
        (HoverShape::MarkedStrings, json!([{ "language": "fake", "value": signature }, words])),
    ] {
        let mut stage = Stage::ready(Script::new().hover_shape(shape));
        assert_eq!(stage.ask("textDocument/hover", "a.fake", 1, 6)["contents"], contents);
    }
    let mut stage = Stage::ready(Script::new().flat_symbols());
    let symbols = stage.ask("textDocument/documentSymbol", "b.fake", 0, 0);
    assert_eq!((&symbols[2]["name"], &symbols[2]["containerName"]), (&json!("shrink"), &json!("Small")));
}

#[test]
fn replies_may_be_huge_double_or_for_nobody() {
    let script = Script::new()
        .rule(Rule::on(REFERENCES).huge(1 << 20))
        .rule(Rule::on("workspace/symbol").twice().stray_reply())
        .rule(Rule::on("textDocument/hover").huge(5 << 20))
        .rule(Rule::on("workspace/symbol").answer(json!([])).huge(5 << 20));
    let mut stage = Stage::ready(script);
    let found = stage.ask(REFERENCES, "a.fake", 1, 6);
    let list = found.as_array().unwrap();
    assert!(list.len() * (list[0].to_string().len() + 1) > 1 << 20);
    assert_eq!(stage.places(&json!(list[..3])), all());
    let hover = stage.ask("textDocument/hover", "a.fake", 1, 6);
    assert!(hover["contents"]["value"].as_str().unwrap().len() > 5 << 20);
    for _ in 0..2 {
        assert_eq!(stage.client.request("workspace/symbol", json!({ "query": "" })), json!([]));
    }
}

#[test]
fn errors_may_have_odd_shapes() {
    let script = Script::new()
        .rule(Rule::on(REFERENCES).times(1).odd_error(json!({ "code": -32603 })))
        .rule(Rule::on(REFERENCES).from(2).times(1).odd_error(json!({ "code": "E1", "message": 5 })))
        .method_not_found("textDocument/hover");
    let mut stage = Stage::ready(script);
    let params = stage.at("a.fake", 1, 6);
    assert_eq!(stage.client.try_request(REFERENCES, params.clone()), Err(json!({ "code": -32603 })));
    assert_eq!(stage.client.try_request(REFERENCES, params.clone()).unwrap_err()["code"], "E1");
    assert_eq!(stage.references(), all());
    assert_eq!(stage.client.try_request("textDocument/hover", params).unwrap_err()["code"], -32601);
}
