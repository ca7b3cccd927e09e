//! `atm export`: from a transcript of any sort to a page.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::sealed::Sealed;

const ID: &str = "23e30f82-5d1c-4c64-9c3b-0d8f7a61e001";

fn transcript(sealed: &Sealed, bytes: &[u8]) -> PathBuf {
    let folder = sealed.claude_dir().join("projects/-p");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{ID}.jsonl"));
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn export_of_a_damaged_transcript_has_all_that_can_be_read() {
    let sealed = Sealed::new();
    let text = b"{\"type\":\"user\",\"cwd\":\"/p\",\"message\":{\"content\":\"mend \xff it\"}}\n\
        garbage\n\
        {\"type\":\"from-2031\",\"message\":7}\n\
        {\"type\":\"assistant\",\"message\":{\"content\":\"API_TOKEN=ab12cd34ef56 is set.\"}}\n\
        {\"type\":\"assistant\",\"message\":{\"content\":\"half wri";
    transcript(&sealed, text);
    let output = sealed.atm(&["export", "23e30f82"]);
    assert!(output.status.success(), "{output:?}");
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("mend \u{fffd} it"), "{page}");
    assert!(page.contains("API_TOKEN=[redacted: secret] is set."), "{page}");
    assert!(!page.contains("half"), "{page}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "note: 1 damaged records were passed over\n");
    assert!(sealed.ok(&["export", ID, "--no-redact"]).contains("API_TOKEN=ab12cd34ef56"));
    assert_eq!(sealed.fails(&["export", "nobody"]).0, 4);
}

#[test]
fn export_into_a_file_is_private_whole_and_replaces() {
    let sealed = Sealed::new();
    transcript(&sealed, b"{\"type\":\"user\",\"message\":{\"content\":\"<script>x</script>\"}}\n");
    let file = sealed.path().join("page.html");
    fs::write(&file, "old").unwrap();
    let out = file.to_str().unwrap();
    assert_eq!(sealed.ok(&["export", ID, "--format", "html", "--output", out]), "");
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let (code, said) = sealed.fails(&["export", ID, "--output", "/nonexistent/x"]);
    assert!(code == 1 && said.contains("/nonexistent/x"), "{code} {said}");
    assert_eq!(
        fs::read_dir(sealed.path())
            .unwrap()
            .filter(|e| { e.as_ref().unwrap().file_name().to_string_lossy().contains(".part") })
            .count(),
        0
    );
}

#[test]
fn export_survives_a_line_of_fifty_megabytes() {
    let sealed = Sealed::in_memory();
    let path = transcript(&sealed, b"");
    let mut file = fs::File::create(&path).unwrap();
    let huge = "x".repeat(50 << 20);
    writeln!(file, r#"{{"type":"user","cwd":"/p","message":{{"content":"{huge}"}}}}"#).unwrap();
    writeln!(file, r#"{{"type":"assistant","message":{{"content":"Short."}}}}"#).unwrap();
    let page = sealed.ok(&["export", ID]);
    assert!(page.len() > huge.len() && page.ends_with("\nShort.\n"));
}
