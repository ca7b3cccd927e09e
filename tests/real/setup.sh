#!/usr/bin/env bash
# Fetches the pinned Claude Code client into the cache folder and prints the path of its binary on the last line.
# Writes only below $ATM_REAL_CACHE; a second run finds the client there and fetches nothing.
set -euo pipefail

version=2.1.325
cache=${ATM_REAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/atm-real}

missing=()
for tool in npm tmux python3 git; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "setup.sh: missing: ${missing[*]} (install them and run this again)" >&2
  exit 1
fi

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) platform=linux-x64 ;;
  Linux-aarch64) platform=linux-arm64 ;;
  Darwin-x86_64) platform=darwin-x64 ;;
  Darwin-arm64) platform=darwin-arm64 ;;
  *) echo "setup.sh: no client is known for $(uname -s) on $(uname -m)" >&2; exit 1 ;;
esac
# musl beside glibc is a compiler's; a system of musl has no other loader.
if [ "${platform%%-*}" = linux ] && [ -z "$(compgen -G '/lib*/ld-linux-*')" ]; then
  platform=$platform-musl
fi

# The version is part of the path, so that a new pin never meets an old client.
prefix=$cache/client-$version
client=$prefix/node_modules/@anthropic-ai/claude-code-$platform/claude

if [ -x "$client" ]; then
  echo "client $version: already in $prefix"
else
  echo "client $version: fetching @anthropic-ai/claude-code from the npm registry into $prefix"
  mkdir -p "$prefix"
  # Without its scripts the package only unpacks; the platform's own binary is called directly.
  npm install --prefix "$prefix" --cache "$cache/npm" --ignore-scripts --no-audit --no-fund --loglevel=error \
    "@anthropic-ai/claude-code@$version"
  if [ ! -x "$client" ]; then
    echo "setup.sh: npm finished, but $client is not there" >&2
    exit 1
  fi
fi

sealed=$(mktemp -d "${TMPDIR:-/tmp}/atm-real-setup.XXXXXX")
trap 'rm -rf "$sealed"' EXIT
said=$(env -i HOME="$sealed" PATH=/usr/bin:/bin DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1 \
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 ANTHROPIC_BASE_URL=http://127.0.0.1:9 "$client" --version)
case $said in
  "$version "*) echo "client says: $said" ;;
  *) echo "setup.sh: the client says \"$said\", wanted $version" >&2; exit 1 ;;
esac
echo "$client"
