//! Does the judge see what is wrong?

use super::beyond::{FIELDS, PARAMETERS};
use super::published::{fields, misasked, question, types, wrong};
use super::*;

fn without_fault() -> Value {
    whole("change", &json!({ "iid": 5, "title": "Change" }))
}

/// The only complaint about a merge request with this fault.
fn complaint(fault: impl Fn(&mut Value)) -> String {
    let mut document = without_fault();
    fault(&mut document);
    let found = wrong("change", &document);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn a_wrong_type_is_seen() {
    assert_eq!(wrong("change", &without_fault()), [] as [String; 0]);
    assert_eq!(complaint(|change| change["iid"] = json!("5")), r#"/iid: "5" is not of type "number""#);
    assert_eq!(complaint(|change| change["title"] = Value::Null), r#"/title: null is not of type "string""#);
    let inside = complaint(|change| change["author"]["username"] = json!(7));
    assert_eq!(inside, r#"/author/username: 7 is not of type "string""#);
}

#[test]
fn a_field_that_nobody_knows_is_seen() {
    let unknown = complaint(|change| change["titel"] = json!("Change"));
    assert!(unknown.contains("'titel' was unexpected"), "{unknown}");
    let absent = complaint(|change| {
        change.as_object_mut().unwrap().remove("iid");
    });
    assert_eq!(absent, r#": "iid" is a required property"#);
}

#[test]
fn a_parameter_that_nobody_knows_is_seen() {
    let target = |query: &str| below(&format!("/merge_requests?{query}"));
    assert_eq!(misasked(&target("author_username=kim&state=opened")), [] as [String; 0]);
    let misspelt = misasked(&target("author_user_name=kim"));
    assert_eq!(misspelt, ["changes_of_project has no parameter author_user_name"]);
    let other = misasked(&target("state=open"));
    assert_eq!(other, ["state of changes_of_project cannot be open"]);
    let nowhere = std::panic::catch_unwind(|| question("/api/v4/projects/7/merge_request/5"));
    assert!(nowhere.is_err(), "an address that nobody publishes");
}

#[test]
fn a_document_that_is_wrong_is_not_served() {
    let mut document = without_fault();
    document["iid"] = json!("5");
    let route = (below("/merge_requests/5"), Answer::json(&document.to_string()));
    assert!(std::panic::catch_unwind(|| server(vec![route])).is_err());
    let route = (below("/merge_requests?stat=all"), Answer::json("[]"));
    assert!(std::panic::catch_unwind(|| server(vec![route])).is_err());
}

#[test]
fn what_was_added_to_the_types_is_still_missing_in_them() {
    for field in FIELDS {
        for question in field.questions {
            let mut answer = types()[question]["answer"].clone();
            let known = fields(&mut answer, field.at).get(field.name).cloned();
            assert_ne!(known, Some(field.schema()), "{question}: {} ({})", field.name, field.known_from);
        }
    }
    for parameter in PARAMETERS {
        for question in parameter.questions {
            let known = &types()[question]["parameters"][parameter.name];
            let known = match parameter.value {
                None => !known.is_null(),
                Some(value) => known.to_string().contains(&json!(value).to_string()),
            };
            assert!(!known, "{question}: {} ({})", parameter.name, parameter.known_from);
        }
    }
}
