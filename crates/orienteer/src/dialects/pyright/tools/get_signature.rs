//! `get_signature`: the signatures of the call around a position.

use orienteer_base::Problem;
use orienteer_base::ask::SignatureQuery;
use serde_json::{Map, Value, json};

use super::super::shapes::{At, payload, vouched};
use crate::dialect::DialectTool;
use crate::tool::Ctx;

pub(crate) struct GetSignature;

impl DialectTool for GetSignature {
    const NAME: &'static str = "get_signature";
    const TITLE: &'static str = "Signature";
    const DESCRIPTION: &'static str =
        "Signatures of the Python call around a position, and which parameter is being written.";
    type Args = At;

    async fn run(at: At, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let opened = at.open(&ctx).await?;
        let query =
            SignatureQuery { file: opened.path.clone(), line: at.line, column: at.column, wait: None };
        let (found, warnings) = vouched(opened.session.signatures(query, &ctx.cancel).await?)?;
        let fields = json!({
            "signatures": found.signatures,
            "active_signature": found.active_signature,
            "active_parameter": found.active_parameter,
        });
        Ok(payload(fields, warnings))
    }
}
