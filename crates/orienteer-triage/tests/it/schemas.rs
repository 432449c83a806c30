//! What the tests take for the shape of a source is that shape.

use orienteer_testkit::tools;
use serde_json::Value;

use crate::shapes::osv;
use crate::shapes_code::sarif;

fn check(schema: &str, report: &Value) {
    let path = tools::tools().join("schemas").join(schema);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask install`", path.display()));
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // An expression of the official schema, in two places, has a bracket that is never opened; only some readers forgive it.
    for of in ["run", "toolComponent"] {
        let Some(pattern) = schema.pointer_mut(&format!("/definitions/{of}/properties/language/pattern"))
        else {
            continue;
        };
        *pattern = Value::String("^[a-zA-Z]{2}(-[a-zA-Z]{2})?$".to_owned());
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(report).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!validator.is_valid(&Value::Array(Vec::new())), "the schema refuses something");
}

#[test]
fn our_sarif_is_sarif() {
    check("sarif-schema-2.1.0.json", &sarif());
}

#[test]
fn our_osv_is_osv() {
    check("osv-schema.json", &osv());
}
