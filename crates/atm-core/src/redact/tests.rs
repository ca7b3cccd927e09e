//! What must be hidden, and what must stay: keys are made up, in the shapes of the real ones.

use proptest::prelude::*;

use super::redact;

/// Put together here, so that no scanner takes the source for a leak.
fn made(begin: &str, length: usize) -> String {
    let body = "a1B2c3D4e5F6g7H8i9J0".chars().cycle();
    begin.chars().chain(body.take(length)).collect()
}

#[test]
fn redact_hides_keys_by_their_shape() {
    let cases = [
        (made("sk-ant-api03-", 90), "Anthropic key"),
        (made("sk-proj-", 48), "OpenAI key"),
        (made("sk-", 48), "API key"),
        (made("ghp_", 36), "GitHub token"),
        (made("github_pat_", 82), "GitHub token"),
        (made("glpat-", 20), "GitLab token"),
        (made("xoxb-", 40), "Slack token"),
        (format!("{}{}", "AKIA", "IOSFODNN7ABCDEFG"), "AWS key"),
        (made("AIza", 35), "Google key"),
        (made("sk_live_", 24), "Stripe key"),
        (made("npm_", 36), "npm token"),
        (made("hf_", 34), "Hugging Face token"),
    ];
    for (key, kind) in cases {
        let hidden = format!("[redacted: {kind}]");
        assert_eq!(redact(&key), hidden);
        assert_eq!(redact(&format!("use {key}, please")), format!("use {hidden}, please"));
        assert_eq!(redact(&format!(r#"{{"a":"x\n{key}"}}"#)), format!(r#"{{"a":"x\n{hidden}"}}"#));
        assert_eq!(redact(&format!("é{key}\n")), format!("é{hidden}\n"));
    }
    let jwt = format!("{}.{}.{}", made("eyJ", 20), made("eyJ", 40), made("", 43));
    assert_eq!(redact(&jwt), "[redacted: token]");
}

#[test]
fn redact_hides_private_keys_whole_also_cut_and_escaped() {
    let key = |end: &str| format!("a -----BEGIN RSA {}-----{end}", "PRIVATE KEY");
    let whole = key("\nMIIE9\nabc=\n-----END RSA PRIVATE KEY----- b");
    assert_eq!(redact(&whole), "a [redacted: private key] b");
    assert_eq!(redact(&key("\nMIIE9\nabc")), "a [redacted: private key]");
    let escaped = key(r"\nMIIE9\n-----END RSA PRIVATE KEY-----\n");
    assert_eq!(redact(&escaped), r"a [redacted: private key]\n");
    let mention = r#"if text.starts_with("-----BEGIN PRIVATE KEY-----") { return None; }"#;
    assert_eq!(redact(mention), mention);
    let code = format!("{mention}\nlet x = 7;\n");
    assert_eq!(redact(&code), code);
    let public = "-----BEGIN CERTIFICATE-----\nMIIE9\n-----END CERTIFICATE-----";
    assert_eq!(redact(public), public);
}

#[test]
fn redact_hides_what_is_named_a_secret() {
    let cases = [
        ("DB_PASSWORD=hunter", "DB_PASSWORD=[redacted: password]"),
        ("export PGPASSWORD='hunter 2'", "export PGPASSWORD='[redacted: password]'"),
        ("password=hunter2", "password=[redacted: password]"),
        ("password = \"correct\"", "password = \"[redacted: password]\""),
        ("connect(user=u, password='hunter2')", "connect(user=u, password='[redacted: password]')"),
        (r#"{"password": "hunter2"}"#, r#"{"password": "[redacted: password]"}"#),
        (r#"{\"password\": \"hunter2\"}"#, r#"{\"password\": \"[redacted: password]\"}"#),
        ("  password: hunter2\n", "  password: [redacted: password]\n"),
        ("mysql --password hunter -u x", "mysql --password [redacted: password] -u x"),
        ("tool --api-key=ab12cd34ef", "tool --api-key=[redacted: secret]"),
        ("https://x/?token=ab12cd34&y=1", "https://x/?token=[redacted: secret]&y=1"),
        ("clientSecret: 'ab12cd34ef56'", "clientSecret: '[redacted: secret]'"),
        ("x-api-key: ab12cd34ef56gh", "x-api-key: [redacted: secret]"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY",
            "aws_secret_access_key = [redacted: secret]",
        ),
        (
            "Authorization: Bearer ab12cd34ef56gh78",
            "Authorization: Bearer [redacted: authorization]",
        ),
        (
            r#"-H "Authorization: Basic dXNlcjpwYXNz=""#,
            r#"-H "Authorization: Basic [redacted: authorization]""#,
        ),
        (
            r#""Authorization": "Basic dXNlcjpwYXNz=""#,
            r#""Authorization": "Basic [redacted: authorization]""#,
        ),
        ("postgres://app:s3cret@db/x", "postgres://app:[redacted: URL password]@db/x"),
        ("STRIPE=aB3xK9mQ2vL8nR5tY7wZ1cD4", "STRIPE=[redacted: environment value]"),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(text), expected, "{text}");
    }
}

#[test]
fn redact_leaves_ordinary_code_and_words_alone() {
    let ordinary = [
        "fn check(password: &str, token: String) -> bool",
        "let token = parse_token(line)?;",
        "if token == other { max_tokens = 4096 }",
        "password: str\n    secret: Optional[str] = None",
        "const password = process.env.PASSWORD;",
        "login(user=user, password=password)",
        "password=self.password, token=args.token",
        "export TOKEN=$GITHUB_TOKEN PASSWORD=${PASSWORD}",
        "api_key = os.environ['API_KEY']",
        r#"{"input_tokens": 1234, "token": "keyword", "password": "Password"}"#,
        "password: <your password>, token=your-token-1234, secret: ********",
        "The password is wrong. Enter a password: please try again",
        "sk-loading-indicator-container-wide-2 task-ant-hill ghp_short",
        "git commit 3f5e8a9b1c2d4e6f708192a3b4c5d6e7f8091a2b",
        "COMMIT=3f5e8a9b1c2d4e6f708192a3b4c5d6e7f8091a2b",
        "id 23e30f82-5d1c-4c64-9c3b-0d8f7a61e001",
        "PATH=/usr/local/bin:/usr/bin RUSTFLAGS=-Ctarget-cpu=native",
        "NODE_VERSION=v22.11.0 IMAGE=registry/Team/app-service-backend1",
        "PWD=/home/dev/project",
        "https://user@example.com:8080/x http://localhost:3000/a@b",
        "git@github.com:owner/repo.git",
        "Authorization: Bearer $TOKEN, Authorization: Bearer <token>",
        "the bearer of bad news arrived yesterday",
        "map::<Token>(x), token::Kind, a ? b : c",
        "integrity sha512-abcDEF0123456789abcDEF0123456789abcDEF==",
        "",
        "=",
        ":",
        "é=ü",
        "password=",
        "\"token\":",
    ];
    for text in ordinary {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn redact_of_a_huge_line_looks_at_each_part_once() {
    // Quadratic, this would take hours.
    let line = r#"{"password":"hunter2","a":"b",X=y://u:p "#.repeat(60_000);
    let hidden = redact(&line);
    assert_eq!(hidden.matches("[redacted: password]").count(), 60_000);
}

proptest! {
    #[test]
    fn redact_of_any_text_keeps_what_is_no_secret_and_ends(text in any::<String>()) {
        redact(&text);
    }

    #[test]
    fn redact_finds_a_key_in_any_surroundings(
        before in "[a-z \n\"':=é]{0,20}[ \n\"'=(]", after in "[ \n\"',)é][^\u{0}]{0,20}",
    ) {
        let key = made("ghp_", 36);
        let hidden = redact(&format!("{before}{key}{after}")).into_owned();
        prop_assert!(!hidden.contains(&key), "{hidden}");
    }

    #[test]
    fn redact_twice_is_redact_once(text in "[a-zA-Z0-9_=:\"' \n.-]{0,80}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once);
    }
}
