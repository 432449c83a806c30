//! Some code in every language with a grammar, to be cut and mixed.

use crate::{facts_managed, facts_native, facts_script};

pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("bash", "# Doc.\nfunction run() {\n  local a=1\n  if [ -z \"$a\" ]; then source ./x.sh; fi\n}\nB=2\n"),
    ("c", facts_native::C),
    ("cpp", facts_native::CPP),
    ("csharp", facts_managed::CSHARP),
    ("css", "/* Doc. */\n.a, #b { color: red; }\n@media print { .c { top: 1px } }\n"),
    ("dart", "/// Doc.\nclass A extends B {\n  int c = 1;\n  void run(int x) { c = x; }\n}\n"),
    ("elixir", "# Doc.\ndefmodule A do\n  def run(x) when x > 1, do: x\n  defp b(), do: 1\nend\n"),
    ("go", facts_native::GO),
    ("haskell", "module A where\n-- | Doc.\ndata B = C | D\nrun :: Int -> Int\nrun x = x + 1\n"),
    ("hcl", "# Doc.\nresource \"a\" \"b\" {\n  c = [1, 2]\n  d { e = \"f\" }\n}\n"),
    ("html", "<!-- Doc. -->\n<div id=\"a\"><p>words</p><script>run()</script></div>\n"),
    ("java", facts_managed::JAVA),
    ("javascript", facts_script::JAVASCRIPT),
    ("json", "{\"a\": {\"b\": [1, {\"c\": null}]}, \"d\": \"words\"}\n"),
    ("kotlin", "import a.b\n/** Doc. */\nclass A(val b: Int) : C() {\n  fun run(x: Int): Int = x\n}\n"),
    ("lua", "-- Doc.\nlocal x = require(\"y\")\nfunction M.run(a)\n  return a.b:c(1)\nend\n"),
    ("markdown", "# One\n\nwords\n\n## Two\n\n- a\n- b\n\n```rust\nfn a() {}\n```\n\nThree\n=====\n\nmore\n"),
    ("nix", "{\n  # Doc.\n  a = { b = 1; c = x: x + 1; };\n}\n"),
    (
        "php",
        "<?php\nuse A\\{B, C};\n/** Doc. */\nclass D extends B {\n  public $e = 1;\n  function run($x) { return $this->e; }\n}\n",
    ),
    ("python", facts_script::PYTHON),
    ("ruby", facts_script::RUBY),
    ("rust", facts_native::RUST),
    (
        "scala",
        "import a.{B, C}\n/** Doc. */\ntrait D extends B {\n  def run(x: Int): Int = x match { case 1 => 2 }\n}\n",
    ),
    (
        "solidity",
        "/// Doc.\ncontract A is B {\n  uint c;\n  function run(uint x) public returns (uint) { return x; }\n}\n",
    ),
    ("swift", "import A\n/// Doc.\nclass B: C {\n  var d = 1\n  func run(x: Int) -> Int { return x }\n}\n"),
    ("toml", "# Doc.\n[a]\nb = 1\nc = { d = \"e\" }\n\n[[f]]\ng = [1, 2]\n"),
    ("tsx", facts_script::TYPESCRIPT),
    ("typescript", facts_script::TYPESCRIPT),
    ("yaml", "# Doc.\na:\n  b: 1\n  c:\n    - d: e\nf: |\n  words\n"),
    ("zig", "/// Doc.\nconst std = @import(\"std\");\npub fn run(x: u8) u8 { return x; }\n"),
];

#[test]
fn every_language_with_a_grammar_has_a_sample() {
    let known: Vec<&str> = SAMPLES.iter().map(|(id, _)| *id).collect();
    let supported: Vec<&str> = orienteer_syntax::supported().iter().map(|language| language.id).collect();
    assert_eq!(known, supported);
}
