# Sourced by install, test, bench and .ci/run: talking to the user, asking for packages, and an
# environment in which nothing of the user's own can be touched.

say() { printf '%s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# need_packages YES|ASK command:package … — installs what is missing, after asking.
need_packages() {
  local mode=$1 missing=() pair
  shift
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing+=("${pair#*:}")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(uname -s)" = Darwin ]; then
    die "missing: ${missing[*]}. Install them, for instance with: brew install ${missing[*]}"
  fi
  command -v apt-get >/dev/null 2>&1 || die "missing: ${missing[*]}. Install them with your package manager."
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  if [ "$mode" != YES ]; then
    [ -t 0 ] || die "missing: ${missing[*]}. Run again with --yes to install them."
    printf 'Install %s with apt-get? [Yn] ' "${missing[*]}"
    read -r answer
    case "$answer" in '' | [Yy]*) ;; *) die "not without ${missing[*]}" ;; esac
  fi
  say "Installing ${missing[*]} …"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}" >/dev/null 2>&1 ||
    { "${root[@]}" apt-get update -q >/dev/null && "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}" >/dev/null; } ||
    die "apt-get could not install ${missing[*]}"
}

need_rust() {
  command -v cargo >/dev/null 2>&1 && return 0
  [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH" && return 0
  die "cargo was not found. Install Rust 1.95 or newer (https://rustup.rs), then run this again."
}

# Leaves only what building needs; HOME becomes a folder that is thrown away.
# Used as: seal FOLDER; then everything below runs against nobody's configuration.
seal() {
  export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
  [ -d "${RUSTUP_HOME:-$HOME/.rustup}" ] && export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
  local name
  for name in $(compgen -e); do
    case "$name" in CLAUDE* | ANTHROPIC* | TMUX* | ATM_STATE_DIR | ATM_CONFIG_DIR | ATM_LOG | XDG_*) unset "$name" ;; esac
  done
  export HOME=$1
  mkdir -p "$HOME"
}
