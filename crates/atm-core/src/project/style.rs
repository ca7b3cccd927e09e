//! Styles of tmux as text: the user's own with another foreground, and how it is remembered.

/// What the user has in an option of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// The window inherits the global value.
    Unset,
    Set(String),
}

impl Own {
    /// As it is kept in a user option, where an empty value and none at all must differ.
    pub(super) fn encode(&self) -> String {
        match self {
            Own::Unset => "-".to_owned(),
            Own::Set(value) => format!("={value}"),
        }
    }

    pub(super) fn decode(text: &str) -> Own {
        match text.strip_prefix('=') {
            Some(value) => Own::Set(value.to_owned()),
            None => Own::Unset,
        }
    }

    pub(super) fn effective<'a>(&'a self, global: &'a str) -> &'a str {
        match self {
            Own::Unset => global,
            Own::Set(value) => value,
        }
    }

    /// Nothing of a theme: tmux's own default.
    pub(super) fn is_plain(&self, global: &str) -> bool {
        *self == Own::Unset && matches!(global, "default" | "")
    }
}

/// `style` in another foreground. In a style that tmux has to expand first nothing is taken out:
/// what comes last counts.
pub(super) fn with_foreground(style: &str, colour: &str) -> String {
    let is_computed = ["#{", "#(", "#["].iter().any(|start| style.contains(start));
    let mut parts: Vec<&str> = if is_computed {
        vec![style]
    } else {
        let parts = style.split([',', ' ', '\n']);
        parts.filter(|part| !part.is_empty() && !is_foreground(part)).collect()
    };
    if parts == ["default"] {
        parts.clear();
    }
    let foreground = format!("fg={colour}");
    parts.push(&foreground);
    parts.join(",")
}

fn is_foreground(part: &str) -> bool {
    part.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("fg="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreground_is_replaced_and_the_rest_of_the_style_stays() {
        let cases = [
            ("default", "fg=#6699cc"),
            ("", "fg=#6699cc"),
            ("fg=red", "fg=#6699cc"),
            ("bg=#222222,FG=white,bold", "bg=#222222,bold,fg=#6699cc"),
            ("bold underscore", "bold,underscore,fg=#6699cc"),
            ("default,bg=red", "default,bg=red,fg=#6699cc"),
            (
                "#{?window_bell_flag,fg=red,fg=blue}",
                "#{?window_bell_flag,fg=red,fg=blue},fg=#6699cc",
            ),
        ];
        for (style, expected) in cases {
            assert_eq!(with_foreground(style, "#6699cc"), expected, "{style}");
        }
    }

    #[test]
    fn own_value_kept_as_text_comes_back_as_it_was() {
        for own in [Own::Unset, Own::Set(String::new()), Own::Set("-".into()), Own::Set("=".into())]
        {
            assert_eq!(Own::decode(&own.encode()), own);
        }
    }
}
