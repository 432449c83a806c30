//! `githubSearchCode`: words in the code of a forge.

use orienteer_base::Problem;
use orienteer_base::remote::{CodeHit, CodeMatch, CodeSearch, Page, TextMatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{FEW, Found, Query};
use super::super::forge::{self, At, PageArgs};
use super::super::goals::Goals;
use crate::render::invisible::shown;
use crate::tool::Ctx;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct GithubSearchCode {
    #[serde(flatten)]
    _goals: Goals,
    #[serde(flatten)]
    at: At,
    /// 1-5 keywords to search for
    #[schemars(length(min = 1, max = 5))]
    keywords_to_search: Vec<String>,
    /// Repository owner/organization
    owner: Option<String>,
    /// Repository name
    repo: Option<String>,
    /// File extension filter (e.g., "ts", "py")
    extension: Option<String>,
    /// Filename pattern
    filename: Option<String>,
    /// Path prefix filter
    path: Option<String>,
    /// Match in file content or path
    #[serde(rename = "match")]
    match_in: Option<MatchArg>,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MatchArg {
    File,
    Path,
}

impl Query for GithubSearchCode {
    const TOOL: &'static str = "githubSearchCode";
    const TITLE: &'static str = "Search code on a forge";
    const DESCRIPTION: &'static str = "Search code across GitHub repositories using keywords, file extensions, and path filters. Use at most 2 of extension, filename and path. Also GitLab, by provider or host.";
    const MOST: u64 = FEW;
    const OPEN_WORLD: bool = true;

    fn check(&self) -> Result<(), Problem> {
        let filters = [&self.extension, &self.filename, &self.path];
        if filters.iter().all(|filter| filter.is_some()) {
            let message =
                "`extension`, `filename` and `path` are three filters; use at most 2 of them in one search";
            return Err(Problem::invalid("extension", "too_many_filters", message));
        }
        forge::words("keywordsToSearch", &self.keywords_to_search)?;
        forge::has_owner(self.owner.as_deref(), self.repo.as_deref())
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let PageArgs { limit, page: number } = self.page;
        let word = self.keywords_to_search.first().cloned().unwrap_or_default();
        let query = CodeSearch {
            at: self.at.place(&ctx),
            keywords: self.keywords_to_search,
            owner: self.owner,
            repo: self.repo,
            extension: self.extension,
            filename: self.filename,
            path: self.path,
            match_in: self.match_in.map(|wanted| match wanted {
                MatchArg::File => CodeMatch::File,
                MatchArg::Path => CodeMatch::Path,
            }),
            limit,
            page: number,
        };
        let ask = |page| ctx.session.remote_search_code(CodeSearch { page, ..query.clone() }, &ctx.cancel);
        let page = ask(number).await?;
        let data = json!({
            "results": page.rows.iter().map(row).collect::<Vec<_>>(),
            "totalCount": forge::total(&page, number, limit, ask).await?,
            "pagination": forge::pagination(&page, number),
        });
        Ok(Found::new(data, hints(&page, number, &word, &asked)))
    }
}

fn row(hit: &CodeHit) -> Value {
    let count: usize = hit.text_matches.iter().map(|found| found.matches.len()).sum();
    let mut row = json!({
        "file": shown(&hit.path),
        "repository": shown(&hit.repository),
        // What has no text beside it matched by its name.
        "matches": count.max(1),
        "url": shown(&hit.url),
    });
    if !hit.text_matches.is_empty() {
        row["text_matches"] = hit.text_matches.iter().map(text_match).collect();
    }
    row
}

/// The pieces are made visible one by one, so that the indices fit what is shown.
fn text_match(found: &TextMatch) -> Value {
    let letters: Vec<char> = found.fragment.chars().collect();
    let piece = |from: usize, to: usize| {
        let text: String = letters.get(from..to).unwrap_or_default().iter().collect();
        shown(&text).into_owned()
    };
    let (mut fragment, mut chars, mut done, mut matches) = (String::new(), 0, 0, Vec::new());
    for (from, to) in found.matches.iter().copied().filter(|(from, to)| from <= to && *to <= letters.len()) {
        // Those that overlap earlier ones are part of them.
        let Some(between) = from.checked_sub(done).map(|_| piece(done, from)) else { continue };
        let text = piece(from, to);
        chars += between.chars().count();
        let end = chars + text.chars().count();
        fragment.push_str(&between);
        fragment.push_str(&text);
        matches.push(json!({ "text": text, "indices": [chars, end] }));
        (chars, done) = (end, to);
    }
    fragment.push_str(&piece(done, letters.len()));
    json!({ "fragment": fragment, "matches": matches })
}

fn hints(page: &Page<CodeHit>, number: usize, word: &str, asked: &Asked) -> Vec<String> {
    let mut hints = forge::page_notes(page);
    hints.extend(forge::next_page(page, number, asked));
    if let Some(hit) = page.rows.first()
        && let Some((owner, repo)) = forge::named(&hit.repository)
    {
        let fields = json!({ "owner": owner, "repo": repo, "path": hit.path, "matchString": word });
        hints.push(asked.other("Read around the first match", "githubGetFileContent", fields));
    }
    if page.rows.is_empty() {
        if number > 1 {
            hints.push(asked.again("Nothing on this page; the first one", json!({ "page": 1 })));
            return hints;
        }
        hints.push(format!(
            "Nothing on {}: forges search default branches only, by whole words",
            page.from.host
        ));
        let filters = ["extension", "filename", "path", "match"];
        if filters.iter().any(|field| asked.row.contains_key(*field)) {
            let none = json!({ "extension": null, "filename": null, "path": null, "match": null });
            hints.push(asked.again("Without filters", none));
        }
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_fit_the_fragment_as_it_is_shown() {
        let found = TextMatch {
            fragment: "a\u{202e}b größe c".to_owned(),
            matches: vec![(4, 9), (5, 6), (90, 91)],
        };
        let told = text_match(&found);
        let fragment = told["fragment"].as_str().unwrap();
        assert_eq!(fragment, "a\\u{202e}b größe c");
        assert_eq!(told["matches"].as_array().unwrap().len(), 1);
        let indices = &told["matches"][0]["indices"];
        let (from, to) = (indices[0].as_u64().unwrap(), indices[1].as_u64().unwrap());
        let there: String = fragment.chars().skip(from as usize).take((to - from) as usize).collect();
        assert_eq!((there.as_str(), &told["matches"][0]["text"]), ("größe", &json!("größe")));
    }
}
