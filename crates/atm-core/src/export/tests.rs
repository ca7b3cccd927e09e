//! Pages of made-up records, hostile ones among them.

use super::record::{Read, read};
use super::*;

fn page(form: Form, tools: Tools, lines: &[&str]) -> String {
    let mut page = Page::new(form, Secrets::Hidden, tools);
    let facts = vec![("Directory".to_owned(), "/p/a`b".to_owned())];
    let mut out = page.head(&Heading { title: "The <roof>".to_owned(), facts });
    for line in lines {
        if let Read::Entry(entry) = read(line.as_bytes()) {
            out.push_str(&page.entry(&entry));
        }
    }
    out.push_str(page.foot());
    out
}

const TALK: &[&str] = &[
    r#"{"type":"mode","mode":"normal"}"#,
    r#"{"type":"user","timestamp":"2026-11-15T19:43:29.243Z","message":{"content":"mend it & <b>go</b>"}}"#,
    r#"{"type":"assistant","timestamp":"2026-11-15T19:44:00Z","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Looking."}]}}"#,
    r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"cat ```x"}}]}}"#,
    r#"{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"DB_PASSWORD=hunter2\u001b[31m"}]}]}}"#,
    r#"{"type":"assistant","isSidechain":true,"message":{"content":"not shown"}}"#,
    r#"{"type":"assistant","message":{"content":"Done."}}"#,
    r#"{"type":"user","message":{"content":"<command-name>/compact</command-name><command-args>now</command-args>"}}"#,
    r#"{"type":"system","subtype":"compact_boundary"}"#,
    r#"{"type":"of-the-future","message":{"content":{"deep":[1]}}}"#,
];

#[test]
fn markdown_has_what_was_said_and_names_tools() {
    let expected = "# The <roof>\n\n- Directory: `` /p/a`b ``\n\
        \n## User · 2026-11-15 19:43 UTC\n\nmend it & <b>go</b>\n\
        \n## Assistant · 2026-11-15 19:44 UTC\n\nLooking.\n\n*Tool: `Bash`*\n\nDone.\n\
        \n## User\n\n*/compact now*\n\
        \n## Claude Code\n\n*The conversation was compacted here.*\n";
    assert_eq!(page(Form::Markdown, Tools::Named, TALK), expected);
}

#[test]
fn markdown_with_tools_fences_them_safely_and_hides_secrets() {
    let text = page(Form::Markdown, Tools::Shown, TALK);
    assert!(text.contains("**Tool: `Bash`**\n\n````\ncat ```x\n````\n"), "{text}");
    assert!(text.contains("Result:\n\n```\nDB_PASSWORD=[redacted: password]\n```\n"), "{text}");
}

#[test]
fn html_is_escaped_closed_and_without_scripts() {
    let hostile = r#"{"type":"user","message":{"content":"</pre><script>alert('1')</script>\"&"}}"#;
    let lines = [TALK, &[hostile]].concat();
    let text = page(Form::Html, Tools::Shown, &lines);
    assert!(!text.contains("<script"), "{text}");
    assert!(
        text.contains("&lt;/pre&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;")
    );
    assert!(text.contains("<title>The &lt;roof&gt;</title>"));
    assert!(!text.contains('\u{1b}'));
    for tag in ["section", "details", "pre", "body", "html", "p", "dl"] {
        let count = |mark: String| text.matches(&mark).count();
        let opened = count(format!("<{tag}>")) + count(format!("<{tag} "));
        assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
    }
}

#[test]
fn record_damaged_is_told_from_one_that_is_not_known() {
    let cases: [(&[u8], Read); 6] = [
        (b"", Read::Nothing),
        (b"  \r", Read::Nothing),
        (b"[1,2]", Read::Nothing),
        (br#"{"type":7}"#, Read::Nothing),
        (br#"{"type":"user","message":{"content":"cut o"#, Read::Damaged),
        (b"\x00\xff", Read::Damaged),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line), expected, "{line:?}");
    }
    let broken = b"{\"type\":\"user\",\"message\":{\"content\":\"a\xffb\"}}";
    let Read::Entry(entry) = read(broken) else { panic!("an entry") };
    assert_eq!(entry.parts, [Part::Text("a\u{fffd}b".to_owned())]);
}
