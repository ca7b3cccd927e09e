#!/usr/bin/env bash
# For TPM (set -g @plugin '<owner>/agent-tmux-monitor'): lets this tmux server show what the agents do. What it adds is
# what `atm setup --only tmux` adds; nothing of the user's tmux configuration is replaced.
for atm in "$HOME/.local/bin/atm" "$HOME/.cargo/bin/atm" atm; do
  if command -v "$atm" >/dev/null 2>&1; then
    exec "$atm" setup --only tmux --here
  fi
done
tmux display-message "atm is not installed: run ./install in the directory of the plugin, then reload tmux"
