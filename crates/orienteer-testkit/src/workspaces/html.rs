//! A page.

/// A page with a style sheet and a script.
///
/// - `main` index.html 9:4, an element, whose hover explains it
/// - `title` index.html 10:13, the value of an `id` attribute, in the outline as `h1#title`
/// - `button` index.html 12:7, after an emoji on its line
/// - `styles.css` index.html 6:34, a link to the other file
pub const HTML: &str = r##"//- /index.html
<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Shapes</title>
  <link rel="stylesheet" href="./styles.css">
</head>
<body>
  <main class="page">
    <h1 id="title">Shapes</h1>
    <p>Areas of <a href="#title">shapes</a>.</p>
    🎉<button class="accent">Go</button>
  </main>
</body>
</html>
//- /styles.css
.page { margin: 0; }
"##;
