//! Words that only a preprocessor understands: `static int __init setup(void)`, `char __user *buffer`, `API void close(int)`.
//!
//! The grammar takes them for a type or a name and stumbles over what follows. C has no place where two names stand side by
//! side without being a type and what it declares, so one more is such a word: blanks stand in for it. What is valid without
//! a preprocessor is not touched.
//!
//! | written | left out | because |
//! | --- | --- | --- |
//! | `int WORD name`, `* WORD name` | `WORD`, unless `name` is in capitals and it is not | what is declared follows its type |
//! | `WORD int`, `WORD struct` | `WORD` | before a type there are keywords only |
//! | `type __word *`, `type __word name` | `__word` | the same for types with a name |
//! | `type name __word =`, `] __word ;`, `) __word {` | `__word` | nothing follows what is declared |
//! | `take(p, struct name, field)` inside of a body | `struct` | functions are not given types |
//! | `1, 2, 3, 4` | `2, 3,` | nobody asks for the numbers of a table, and there are thousands of them |

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `int`, `void` and their like.
    Type,
    /// A type in C++, and a name that old C declares.
    Bool,
    /// `struct`, `union`, `enum`: the name behind it belongs to it.
    Tag,
    /// `static`, `const` and others that may stand before a type.
    Storage,
    Keyword,
    Name,
    /// In capitals, as macros are: it may well be what declares something, or what is left out.
    Capitals,
    /// A name that begins as those do which compilers and systems keep for themselves: `__user`.
    Reserved,
    Sign(u8),
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

const NUMBER: Kind = Kind::Sign(b'0');
const COMMA: Kind = Kind::Sign(b',');

const NOTHING: Token = Token { kind: Kind::Sign(b';'), start: 0, end: 0 };
const FORGOTTEN: Token = Token { kind: Kind::Sign(b'?'), start: 0, end: 0 };

pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut shown = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    // What was read last, the newest first.
    let [mut first, mut second, mut third, mut fourth] = [NOTHING; 4];
    let mut leave_out = |word: Token| {
        if shown.is_empty() {
            shown = bytes.to_vec();
        }
        shown[word.start..word.end].fill(b' ');
    };
    while let Some(next) = token(bytes, &mut at) {
        while is_idle([fourth.kind, third.kind, second.kind, first.kind], next.kind, depth == 0) {
            leave_out(first);
            // There may be several in a row.
            (first, second, third, fourth) = (second, third, fourth, FORGOTTEN);
        }
        if depth > 0 && is_argument([fourth.kind, third.kind, second.kind, first.kind], next.kind) {
            leave_out(second);
        }
        if is_listed([fourth.kind, third.kind, second.kind, first.kind], next.kind) {
            leave_out(second);
            leave_out(first);
        }
        match next.kind {
            Kind::Sign(b'{') => depth += 1,
            Kind::Sign(b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        (first, second, third, fourth) = (next, first, second, third);
    }
    // Whole characters were replaced, by ASCII.
    match String::from_utf8(shown) {
        Ok(shown) if !shown.is_empty() => Cow::Owned(shown),
        _ => Cow::Borrowed(text),
    }
}

/// Whether C has no room for the word `this` between others and `next`.
fn is_idle([first, before, last, this]: [Kind; 4], next: Kind, at_top: bool) -> bool {
    use Kind::{Bool, Capitals, Keyword, Name, Reserved, Sign, Storage, Tag, Type};
    let reserved = this == Reserved;
    if !reserved && !matches!(this, Name | Capitals) {
        return false;
    }
    match (last, next) {
        // `struct name` is one type.
        (Tag, _) => false,
        (Type | Bool | Name | Capitals | Reserved | Storage, Type | Tag) => true,
        (Sign(b';' | b'{' | b'}' | b'(' | b','), Type | Tag) => true,
        // The second one may be what is left out: `int a __read_mostly = 5`, `int a UNUSED`.
        (Type | Bool | Sign(b'*'), Reserved) => reserved,
        (Type | Bool | Sign(b'*'), Capitals) => reserved || this == Capitals,
        (Type | Bool | Sign(b'*'), Name) => true,
        (Type | Bool | Name | Reserved, Sign(b'*')) => reserved,
        (Name | Reserved, Name | Reserved) => reserved,
        (Name | Reserved, Sign(b'=' | b';' | b'{')) => {
            reserved && matches!(before, Type | Bool | Name | Reserved | Sign(b'*'))
        }
        // `delete[] __a` is an expression.
        (Sign(b']'), Sign(b'=' | b';' | b'{')) => reserved && (before != Sign(b'[') || first != Keyword),
        (Sign(b')'), Sign(b'{')) => reserved && at_top,
        _ => false,
    }
}

/// Whether `struct name` is given to what looks like a call, as functions do not take it.
fn is_argument([before, open, tag, name]: [Kind; 4], next: Kind) -> bool {
    use Kind::{Capitals, Name, Reserved, Sign, Tag};
    let given = match open {
        Sign(b',') => true,
        Sign(b'(') => matches!(before, Name | Capitals | Reserved),
        _ => false,
    };
    given && tag == Tag && matches!(name, Name | Capitals | Reserved) && matches!(next, Sign(b',' | b')'))
}

/// Whether `second` and `first` are a number and a comma in the middle of a list of numbers.
fn is_listed([before, comma, number, last]: [Kind; 4], next: Kind) -> bool {
    before == NUMBER && comma == COMMA && number == NUMBER && last == COMMA && next == NUMBER
}

/// The next word or sign. Numbers and texts are signs; comments and blanks are nothing, and so are lines of the preprocessor,
/// but nothing reaches across them.
fn token(bytes: &[u8], at: &mut usize) -> Option<Token> {
    loop {
        let start = *at;
        let byte = *bytes.get(start)?;
        *at += 1;
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => continue,
            b'/' if bytes.get(*at) == Some(&b'/') => {
                *at = line_end(bytes, *at);
                continue;
            }
            b'/' if bytes.get(*at) == Some(&b'*') => {
                *at = comment_end(bytes, *at + 1);
                continue;
            }
            b'#' => {
                *at = directive_end(bytes, *at);
                Kind::Sign(b'#')
            }
            b'"' | b'\'' => {
                *at = quoted_end(bytes, *at, byte);
                Kind::Sign(byte)
            }
            b'0'..=b'9' => {
                *at = word_end(bytes, *at);
                NUMBER
            }
            byte if is_word(byte) => {
                *at = word_end(bytes, *at);
                kind_of(&bytes[start..*at])
            }
            sign => Kind::Sign(sign),
        };
        return Some(Token { kind, start, end: *at });
    }
}

fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        table[at] = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        at += 1;
    }
    table
};

fn word_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
}

/// At the end of the line, or behind it where it goes on.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

fn comment_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let ends = memchr::memchr_iter(b'/', rest).find(|at| *at > 0 && rest[at - 1] == b'*');
    from + ends.map_or(rest.len(), |at| at + 1)
}

fn directive_end(bytes: &[u8], mut from: usize) -> usize {
    loop {
        let end = line_end(bytes, from);
        let line = bytes.get(from..end).unwrap_or_default().trim_ascii_end();
        if !line.ends_with(b"\\") || end >= bytes.len() {
            return end;
        }
        from = end + 1;
    }
}

/// Behind the closing mark, or at the end of the line: a lone mark stands in comments of assemblers, and must not hide the
/// rest of the file.
fn quoted_end(bytes: &[u8], mut at: usize, mark: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == mark => return at,
            _ => {}
        }
    }
    bytes.len()
}

fn kind_of(word: &[u8]) -> Kind {
    match word {
        b"void" | b"char" | b"short" | b"int" | b"long" | b"float" | b"double" | b"signed" | b"unsigned"
        | b"_Bool" => Kind::Type,
        b"bool" => Kind::Bool,
        b"struct" | b"union" | b"enum" => Kind::Tag,
        b"const" | b"constexpr" | b"consteval" | b"constinit" | b"explicit" | b"extern" | b"friend"
        | b"inline" | b"register" | b"static" | b"thread_local" | b"virtual" | b"volatile" => Kind::Storage,
        b"auto" | b"break" | b"case" | b"continue" | b"default" | b"do" | b"else" | b"for" | b"goto"
        | b"if" | b"restrict" | b"return" | b"sizeof" | b"switch" | b"typedef" | b"while" | b"asm"
        | b"typeof" => Kind::Keyword,
        b"alignas" | b"and" | b"and_eq" | b"bitand" | b"bitor" | b"catch" | b"class" | b"co_await"
        | b"co_return" | b"co_yield" | b"compl" | b"concept" | b"decltype" | b"delete" | b"export"
        | b"final" | b"import" | b"module" | b"mutable" | b"namespace" | b"new" | b"noexcept" | b"not"
        | b"not_eq" | b"operator" | b"or" | b"or_eq" | b"override" | b"private" | b"protected"
        | b"public" | b"requires" | b"template" | b"this" | b"throw" | b"try" | b"typename" | b"using"
        | b"xor" | b"xor_eq" => Kind::Keyword,
        [b'_', b'_', rest @ ..] => reserved(rest),
        [b'_', b'A'..=b'Z', ..] => Kind::Keyword,
        _ if word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_') => {
            Kind::Capitals
        }
        _ => Kind::Name,
    }
}

/// What compilers mean by it is no word of a preprocessor.
fn reserved(rest: &[u8]) -> Kind {
    match rest {
        b"attribute__" | b"attribute" | b"declspec" | b"asm__" | b"asm" | b"extension__" | b"typeof__"
        | b"typeof" | b"alignof__" | b"alignof" | b"auto_type" | b"real__" | b"imag__" | b"volatile__"
        | b"const" | b"const__" | b"restrict" | b"restrict__" | b"inline" | b"inline__" | b"signed__"
        | b"thread" | b"forceinline" | b"unaligned" | b"cdecl" | b"stdcall" | b"fastcall" | b"thiscall"
        | b"vectorcall" | b"clrcall" | b"based" => Kind::Keyword,
        [b'i', b'n', b't', b'0'..=b'9', ..] => Kind::Type,
        _ => Kind::Reserved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `~` for each byte that is left out.
    fn left_out(text: &str) -> String {
        let shown = shown(text);
        assert_eq!(shown.len(), text.len());
        let pairs = text.chars().zip(shown.chars());
        pairs.map(|(written, shown)| if written == shown { written } else { '~' }).collect()
    }

    #[test]
    fn words_of_the_preprocessor_are_left_out() {
        for (text, expected) in [
            ("static int __init setup(void)", "static int ~~~~~~ setup(void)"),
            ("static void __init\nsetup(void)", "static void ~~~~~~\nsetup(void)"),
            ("static int INIT get(struct rc *rc)", "static int ~~~~ get(struct rc *rc)"),
            ("void *NOTRACE f(int a)", "void *~~~~~~~ f(int a)"),
            ("asmlinkage long f(char __user *a)", "~~~~~~~~~~ long f(char ~~~~~~ *a)"),
            ("API struct a *f(void);", "~~~ struct a *f(void);"),
            ("static noinline __always_inline int f(void)", "static ~~~~~~~~ ~~~~~~~~~~~~~~~ int f(void)"),
            ("struct a __rcu *b; foo_t __iomem *c;", "struct a ~~~~~ *b; foo_t ~~~~~~~ *c;"),
            ("s64 __init f(struct a *b)", "s64 ~~~~~~ f(struct a *b)"),
            ("int a __read_mostly = 5;", "int a ~~~~~~~~~~~~~ = 5;"),
            ("static struct a *b __initdata;", "static struct a *b ~~~~~~~~~~;"),
            ("char a[9] __initconst = {1};", "char a[9] ~~~~~~~~~~~ = {1};"),
            ("void f(void) __weak\n{", "void f(void) ~~~~~~\n{"),
            ("p = (void __user *)a;", "p = (void ~~~~~~ *)a;"),
            ("{ a(b, struct c, d); e(struct f, g); }", "{ a(b, ~~~~~~ c, d); e(~~~~~~ f, g); }"),
            ("__BEGIN_DECLS\nint f(void);", "~~~~~~~~~~~~~\nint f(void);"),
            ("ZEXTERN int ZEXPORT deflate OF((int a));", "~~~~~~~ int ~~~~~~~ deflate OF((int a));"),
        ] {
            assert_eq!(left_out(text), expected);
        }
    }

    #[test]
    fn of_a_list_of_numbers_the_ends_are_shown() {
        for (text, expected) in [
            ("int a[] = {1, 2, 0x3u, 4};", "int a[] = {1, ~~ ~~~~~ 4};"),
            ("int a[] = {1, 2, 3,};", "int a[] = {1, ~~ 3,};"),
            ("int a[] = {1, 2, [7] = 3, 4, 5, 6};", "int a[] = {1, 2, [7] = 3, ~~ ~~ 6};"),
            ("int a[][2] = {{1, 2}, {3, 4}};", "int a[][2] = {{1, 2}, {3, 4}};"),
            (
                "f(1, 2, 3); int b[] = {1, /* two */ 2, // three\n 3};",
                "f(1, ~~ 3); int b[] = {1, /* two */ ~~ // three\n 3};",
            ),
            ("int a[] = {1, -2, 3 + 4, 5.5, 6, 'a', 7};", "int a[] = {1, -2, 3 + 4, 5.5, 6, 'a', 7};"),
        ] {
            assert_eq!(left_out(text), expected);
        }
    }

    #[test]
    fn what_is_valid_without_a_preprocessor_stays() {
        for text in [
            "static __u32 a; const __be32 *b; __le16 c = 1;",
            "struct __foo *a; struct foo __bar = {0}; static foo_t __baz;",
            "unsigned __int128 a; typedef int __foo; typedef struct a __b;",
            "int (*f)(int a, char *b), *g; long long unsigned h;",
            "return __a * b; x = a * __b; y = __c;",
            "if (a) __b = 1; if (c) __d(e); else __f;",
            "void f(void) __attribute__((cold));",
            "__attribute__((weak)) int f(void);",
            "__inline int f(void) { goto __out; }",
            "foo_t bar; foo_t *bar, baz; foo_t f(foo_t a, bar_t *b);",
            "#define __init int __user *\n#ifdef A\nint a;\n#endif\n#define B \\\n int __init f(void)\n",
            "// int __init a\n/* int __init b */ char *c = \"int __init d\"; char d = '\"';",
            "template <typename A> class B : public C { operator int() const; A b; unsigned c : 1; };",
            "auto f(int a) -> int; using A = int; std::vector<int> b; namespace a { int b; }",
            "enum a { B, C } d; union e f; int g[] = { [1] = 2 };",
            "case A: int b; label: int c;",
            "{ a = sizeof(struct b); c = (struct d){0}; e((struct f *)g, struct h *); }",
            "void a(int, struct b); void c(struct d, int);",
            "extern int a PARAMS((int, char *)); extern const char *b AVAILABLE(c(10.4));",
            "class a { int b_ GUARDED_BY(c_); d* e_ GUARDED_BY(c_); };",
            "static int a UNUSED = 1; void f(void *b UNUSED, int c UNUSED);",
            "{ delete[] __a; delete[] b; } typedef uint8_t bool; struct s { uint8_t bool; };",
            "static thread_local foo_t __a; while (*p not_eq q) { x and_eq __y * z; }",
            "{ if (a) __try { b(); } __except (c) {} if (d) __T{1}.go(); }",
            "template <class A> requires B int f(A a);",
            "STATIC foo_t __a = 1; EXPORT foo_t __b;",
            "int é; void *ü;",
        ] {
            assert!(matches!(shown(text), Cow::Borrowed(_)), "{}", left_out(text));
        }
    }

    #[test]
    fn what_is_broken_off_ends() {
        for text in ["/*", "//", "\"", "'", "#", "#\\", "\"\\", "int __a", "/* __init", "int a \\"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(left_out("it's\nint __init f(void)"), "it's\nint ~~~~~~ f(void)");
    }
}
