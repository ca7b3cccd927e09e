//! The labels of seeds 000 and 001 as tmux formats over the pane options. The id is a text of
//! others: `#` in it is doubled, so that no style in it is obeyed, and nothing is expanded twice.

/// How signs are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyphs {
    Fancy,
    Ascii,
}

impl Glyphs {
    /// Running, stopped, ended.
    fn marks(self) -> [&'static str; 3] {
        match self {
            Glyphs::Fancy => ["▶", "⏸", "■"],
            Glyphs::Ascii => [">", "=", "#"],
        }
    }
}

/// `23e30f82 [▶]`: eight characters of the id and the status of a pane; empty where no session
/// ever ran. For `pane-border-format` and whatever else is expanded for a pane.
pub fn pane_label(glyphs: Glyphs) -> String {
    when_known(&id_and_status(glyphs))
}

/// The same with a blank before it, if it is not empty: to be appended to a format.
pub fn pane_suffix(glyphs: Glyphs) -> String {
    when_known(&format!(" {}", id_and_status(glyphs)))
}

/// `(⏸)` if any pane of a window has a session that is stopped. For `window-status-format`.
pub fn window_label(glyphs: Glyphs) -> String {
    when_stopped(&format!("({})", glyphs.marks()[1]))
}

/// The same with a blank before it, if it is not empty: to be appended to a format.
pub fn window_suffix(glyphs: Glyphs) -> String {
    when_stopped(&format!(" ({})", glyphs.marks()[1]))
}

fn when_known(label: &str) -> String {
    format!("#{{?#{{!=:#{{@meta.claude.session_id}},}},{label},}}")
}

fn when_stopped(label: &str) -> String {
    let any = "#{P:#{?#{==:#{@meta.claude.status},stopped},x,}}";
    format!("#{{?{any},{label},}}")
}

fn id_and_status(glyphs: Glyphs) -> String {
    let [running, stopped, ended] = glyphs.marks();
    let is = |word: &str| format!("#{{==:#{{@meta.claude.status}},{word}}}");
    let status = format!(
        "#{{?{},[{running}],#{{?{},[{stopped}],#{{?{},[{ended}],[?]}}}}}}",
        is("running"),
        is("stopped"),
        is(""),
    );
    format!("#{{=8:#{{q/h:@meta.claude.session_id}}}} {status}")
}
