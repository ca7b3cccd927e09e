//! The terminal while a screen is shown: raw, on the other page, and given back as it was, however
//! the screen ends.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::Once;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// Taken for as long as the value lives.
pub(crate) struct Stage {
    pub(crate) terminal: Terminal<CrosstermBackend<Box<dyn Write>>>,
}

impl Stage {
    pub(crate) fn open() -> io::Result<Stage> {
        static HOOK: Once = Once::new();
        // A panic must be read on the page that stays.
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            let own = std::thread::current().id();
            std::panic::set_hook(Box::new(move |panic| {
                // The other threads can go while the screen stays.
                if std::thread::current().id() == own {
                    restore();
                }
                before(panic);
            }));
        });
        let mut out = screen()?;
        enable_raw_mode()?;
        let opened = execute!(out, EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(out)));
        match opened {
            Ok(terminal) => Ok(Stage { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        restore();
    }
}

/// Standard output, or the terminal itself where the output is for another program.
fn screen() -> io::Result<Box<dyn Write>> {
    let out = io::stdout();
    if out.is_terminal() {
        return Ok(Box::new(io::BufWriter::new(out)));
    }
    let terminal = File::options().write(true).open("/dev/tty")?;
    Ok(Box::new(io::BufWriter::new(terminal)))
}

fn restore() {
    // A terminal that is gone has nothing to be restored.
    disable_raw_mode().ok();
    if let Ok(mut out) = screen() {
        execute!(out, LeaveAlternateScreen, Show).ok();
    }
}
