//! Which commit does a branch, a tag or a commit mean?
//!
//! It is found out once; everything after is read at that commit, so that an answer in several requests is of one state,
//! and what was read can be kept for good.

use orienteer_base::Problem;
use orienteer_base::error::cut;

/// Whether this is a whole commit already, which needs no question.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The reference as git allows it, before it goes into an address.
pub fn checked(reference: &str) -> Result<&str, Problem> {
    let text = reference.trim();
    let odd = |character: char| character.is_control() || " ~^:?*[\\".contains(character);
    let wrong = text.is_empty()
        || text.len() > 255
        || text.contains(odd)
        || text.contains("..")
        || text.contains("@{")
        || text.starts_with(['/', '-'])
        || text.ends_with(['/', '.']);
    if wrong {
        let message =
            format!("`{}` is not a branch, tag or commit; write its name, or a whole commit", cut(reference));
        return Err(Problem::invalid("reference", "bad_reference", message));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_what_git_allows() {
        for good in ["main", "feature/a-b", "v1.0", "HEAD", "ünïcode", "a#b", "100%", &"a".repeat(40)] {
            assert_eq!(checked(good).unwrap(), good);
        }
        for bad in ["", " ", "a..b", "a b", "main^", "main~1", "a:b", "@{u}", "-x", "/x", "x/", "a\nb", "x."]
        {
            assert_eq!(checked(bad).unwrap_err().field, Some("reference"), "{bad}");
        }
    }

    #[test]
    fn only_a_whole_commit_is_one() {
        assert!(is_commit(&"a1".repeat(20)) && is_commit(&"A1".repeat(32)));
        for other in ["abc1234", "", "main", &"g".repeat(40), &"a".repeat(41)] {
            assert!(!is_commit(other), "{other}");
        }
    }
}
