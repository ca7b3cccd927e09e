#!/usr/bin/env bash
# launch.sh [CLIENT ARGUMENTS…]: the only way the suite starts the client. Empty environment, sealed HOME, a key that opens
# nothing, a model on loopback, every opt-out. Wanted from the caller:
#   ATM_REAL_CLIENT   the client's binary          ATM_REAL_RUN    the run folder (home/, project/, tmp/)
#   ATM_REAL_PORT     the scripted model's port    ATM_REAL_ENV    more NAME=VALUE words for the client (optional)
# ATM_STATE_DIR and ATM_CONFIG_DIR reach the client's hooks, TMUX and TMUX_PANE tell them where they are.
set -euo pipefail
: "${ATM_REAL_CLIENT:?}" "${ATM_REAL_RUN:?}" "${ATM_REAL_PORT:?}"

passed=()
for name in TMUX TMUX_PANE ATM_STATE_DIR ATM_CONFIG_DIR; do
  if [ -n "${!name:-}" ]; then passed+=("$name=${!name}"); fi
done

cd "$ATM_REAL_RUN/project"
# shellcheck disable=SC2086  # ATM_REAL_ENV is a list of words
exec env -i HOME="$ATM_REAL_RUN/home" PATH="$PATH" TERM="${TERM:-xterm-256color}" LANG=C.UTF-8 \
  SHELL=/bin/bash USER=dev CLAUDE_CODE_TMPDIR="$ATM_REAL_RUN/tmp" "${passed[@]}" \
  ANTHROPIC_BASE_URL="http://127.0.0.1:$ATM_REAL_PORT" ANTHROPIC_API_KEY=sk-ant-atm-real-dummy-key-0000000000 \
  DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1 IS_SANDBOX=1 ${ATM_REAL_ENV:-} \
  "$ATM_REAL_CLIENT" "$@"
