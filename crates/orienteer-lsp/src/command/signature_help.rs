//! `textDocument/signatureHelp`.

use std::path::Path;

use orienteer_base::Position;
use orienteer_base::code::{Parameter, Signature, Signatures};
use serde_json::{Value, json};

use super::words;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Patience, Request};
use crate::reading::{Reading, needed};
use crate::ready::Needs;

/// The signatures of the call around a place.
pub type Signed = Signatures;

impl Lease {
    /// `None` when the place is not inside a call.
    pub async fn signature_help(
        &self,
        file: &Path,
        at: Position,
        patience: &Patience,
    ) -> Result<Heard<Option<Signed>>, Failure> {
        let request = Request {
            method: "textDocument/signatureHelp",
            needs: Needs::File,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({ "context": { "triggerKind": 1, "isRetrigger": false } }),
        };
        self.ask(&request, patience, |_, raw, reading| {
            let value = reading.value(raw);
            read(&value, reading)
        })
        .await
    }
}

fn read(value: &Value, reading: &mut Reading) -> Option<Signed> {
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    if !value.is_null() && value.get("signatures").is_none() {
        reading.unreadable(1);
    }
    let signatures: Vec<Signature> = reading.each(&value["signatures"], |signature, reading| {
        let label = needed(signature["label"].as_str())?;
        Ok(Signature {
            documentation: words(&signature["documentation"]),
            parameters: reading.each(&signature["parameters"], |parameter, _| {
                Ok(Parameter {
                    label: needed(parameter_label(label, &parameter["label"]))?,
                    documentation: words(&parameter["documentation"]),
                })
            }),
            label: label.to_owned(),
        })
    });
    let active = number(&value["activeSignature"]);
    let of_signature = &value["signatures"][active.unwrap_or(0) as usize]["activeParameter"];
    let active_parameter = number(of_signature).or_else(|| number(&value["activeParameter"]));
    (!signatures.is_empty()).then_some(Signed { signatures, active_signature: active, active_parameter })
}

/// A text, or where in the signature it stands, counted in UTF-16.
fn parameter_label(signature: &str, label: &Value) -> Option<String> {
    match label {
        Value::String(label) => Some(label.clone()),
        offsets => {
            let units: Vec<u16> = signature.encode_utf16().collect();
            let at = |index: usize| usize::try_from(offsets[index].as_u64()?).ok();
            Some(String::from_utf16_lossy(units.get(at(0)?..at(1)?)?))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn labels_as_text_and_as_offsets() {
        let value = json!({
            "signatures": [{
                "label": "f(😀: str, b: int)",
                "documentation": { "kind": "markdown", "value": "Does f." },
                "parameters": [{ "label": [2, 9] }, { "label": "b: int", "documentation": "second" }],
                "activeParameter": 1,
            }],
            "activeSignature": 0,
            "activeParameter": 0,
        });
        let mut reading = Reading::new(crate::live::Seen::default());
        let mut read = |value: &Value| read(value, &mut reading);
        let signed = read(&value).unwrap();
        let labels: Vec<_> = signed.signatures[0].parameters.iter().map(|p| p.label.as_str()).collect();
        assert_eq!(labels, ["😀: str", "b: int"]);
        assert_eq!(signed.signatures[0].documentation.as_deref(), Some("Does f."));
        assert_eq!((signed.active_signature, signed.active_parameter), (Some(0), Some(1)));
        assert_eq!(read(&Value::Null), None);
        assert_eq!(read(&json!({ "signatures": [] })), None);
    }
}
