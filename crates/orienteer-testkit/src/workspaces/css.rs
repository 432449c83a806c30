//! Style sheets.

/// One style sheet with custom properties, one in SCSS.
///
/// - `--accent` styles.css 2:3, a custom property
/// - `--accent` styles.css 7:14, used; both are references of one name in the file
/// - `.page` styles.css 6:1, a rule
/// - `color` styles.css 7:3, whose hover explains it
/// - `$gap` theme.scss 1:1, a variable
/// - `$gap` theme.scss 4:12, used
///
/// The files are free of errors. [`CSS_BROKEN`] is a text for styles.css with one.
pub const CSS: &str = r#"//- /styles.css
:root {
  --accent: #336699;
  --gap: 4px;
}

.page {
  color: var(--accent);
  margin: var(--gap);
}

.page > .accent::before {
  content: "🎉"; color: var(--accent);
}
//- /theme.scss
$gap: 4px;

.page {
  padding: $gap;
}
"#;

/// A text for styles.css with one warning of an unknown property at 2:3 and one error, a colon missing, at
/// 6:9.
pub const CSS_BROKEN: &str = r#".page {
  colour: red;
}

.other {
  color red;
}
"#;
