//! Code hosts, package registries and builders.

use super::Rule;
use crate::judge;

pub(super) const RULES: &[Rule] = &[
    Rule::token(
        "github-token",
        "GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"(gh[pousr]_[0-9A-Za-z]{36,})(?:[^0-9A-Za-z_]|$)",
    ),
    Rule::token(
        "github-token",
        "GitHub fine-grained token",
        &["github_pat_"],
        r"(github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{50,})",
    ),
    Rule::token(
        "gitlab-token",
        "GitLab token",
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-",
            "glsoat-", "gloas-", "glffct-", "glwt-",
        ],
        r"(gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|soat|oas|ffct|wt)-[0-9A-Za-z_-]{20,}(?:\.[0-9A-Za-z]{2}\.[0-9A-Za-z]{7,12})?)",
    ),
    Rule::token(
        "gitlab-token",
        "GitLab runner registration token",
        &["gr1348941"],
        r"(GR1348941[0-9A-Za-z_-]{20,})",
    ),
    Rule::token("bitbucket-token", "Bitbucket app password", &["atbb"], r"\b(ATBB[0-9A-Za-z]{28,32})\b")
        .check(judge::mixed_token),
    Rule::token(
        "atlassian-token",
        "Atlassian API token",
        &["atatt3", "atctt3"],
        r"\b(AT[AC]TT3[0-9A-Za-z_=-]{60,})",
    ),
    Rule::token("npm-token", "npm token", &["npm_"], r"(npm_[0-9A-Za-z]{36})(?:[^0-9A-Za-z_]|$)"),
    Rule::token(
        "npm-token",
        "Credential in .npmrc",
        &["_authtoken", "_auth", "_password"],
        r#"(?:^|[:\s])_(?:authToken|auth|password)\s{0,4}=\s{0,4}["']?([^\s"'$<]{16,})"#,
    )
    .check(judge::in_place),
    Rule::token("pypi-token", "PyPI token", &["pypi-ag"], r"(pypi-AgE[0-9A-Za-z_-]{50,})"),
    Rule::token("crates-io-token", "Cargo registry token", &["cio"], r"\b(cio[0-9A-Za-z]{32})\b")
        .check(judge::mixed_token),
    Rule::token("rubygems-token", "RubyGems key", &["rubygems_"], r"(rubygems_[a-f0-9]{48})\b"),
    Rule::token("nuget-key", "NuGet key", &["oy2"], r"\b(oy2[a-z0-9]{43})\b").check(judge::mixed_token),
    Rule::token("docker-hub-token", "Docker Hub token", &["dckr_"], r"(dckr_(?:pat|oat)_[0-9A-Za-z_-]{24,})"),
    Rule::token(
        "docker-auth",
        "Registry login in a Docker configuration",
        &["\"auth\"", "auth\\\""],
        r#"\\?"auth\\?"\s{0,4}:\s{0,4}\\?"([0-9A-Za-z+/]{12,}={0,2})\\?""#,
    )
    .check(judge::docker_auth),
    Rule::token("jfrog-token", "JFrog Artifactory key", &["akcp"], r"\b(AKCp[0-9A-Za-z]{60,})\b"),
    Rule::token(
        "circleci-token",
        "CircleCI token",
        &["ccipat_", "cciprj_"],
        r"\b(CCIP(?:AT|RJ)_[0-9A-Za-z]{20,}_[a-f0-9]{40})\b",
    ),
    Rule::token("buildkite-token", "Buildkite token", &["bkua_"], r"\b(bkua_[a-f0-9]{40})\b"),
];
