//! The labels of seeds 000 and 001 as tmux formats over the pane options. The id is a text of
//! others: `#` in it is doubled, so that no style in it is obeyed, and nothing is expanded twice.

use crate::words::Charset;

/// Running, stopped, ended.
fn marks(charset: Charset) -> [&'static str; 3] {
    charset.pick(["▶", "⏸", "■"], [">", "=", "#"])
}

/// `23e30f82 [▶]`: eight characters of the id and the status of a pane; empty where no session
/// ever ran. For `pane-border-format` and whatever else is expanded for a pane.
pub fn pane_label(charset: Charset) -> String {
    when_known(&id_and_status(charset))
}

/// The same with a blank before it, if it is not empty: to be appended to a format.
pub fn pane_suffix(charset: Charset) -> String {
    when_known(&format!(" {}", id_and_status(charset)))
}

/// `(⏸)` if any pane of a window has a session that is stopped. For `window-status-format`.
pub fn window_label(charset: Charset) -> String {
    when_stopped(&format!("({})", marks(charset)[1]))
}

/// The same with a blank before it, if it is not empty: to be appended to a format.
pub fn window_suffix(charset: Charset) -> String {
    when_stopped(&format!(" ({})", marks(charset)[1]))
}

fn when_known(label: &str) -> String {
    format!("#{{?#{{!=:#{{@meta.claude.session_id}},}},{label},}}")
}

fn when_stopped(label: &str) -> String {
    let any = "#{P:#{?#{==:#{@meta.claude.status},stopped},x,}}";
    format!("#{{?{any},{label},}}")
}

fn id_and_status(charset: Charset) -> String {
    let [running, stopped, ended] = marks(charset);
    let is = |word: &str| format!("#{{==:#{{@meta.claude.status}},{word}}}");
    let status = format!(
        "#{{?{},[{running}],#{{?{},[{stopped}],#{{?{},[{ended}],[?]}}}}}}",
        is("running"),
        is("stopped"),
        is(""),
    );
    format!("#{{=8:#{{q/h:@meta.claude.session_id}}}} {status}")
}
