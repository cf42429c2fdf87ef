#!/usr/bin/env bash
# Packs a program as the one for Linux on x86-64, and installs and runs what was packed.
#
#   packaging/test.sh PROGRAM
set -euo pipefail
shopt -s inherit_errexit
program=$(realpath "${1:?usage: packaging/test.sh PROGRAM}")
# shellcheck source-path=SCRIPTDIR source=../.ci/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/tools.sh"
cd "$root"

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export FIBULA_DATA=:memory:

step() {
    echo "-- $*"
    at=$*
}
trap 'echo "FAILED: $at (line $LINENO)" >&2' ERR
# `!` alone would not stop the script.
fails() {
    if "$@"; then return 1; fi
}

step "pack"
command -v zip >/dev/null || apt_install zip
install_npm packaging
mcpb=$cache/packaging/node_modules/.bin/mcpb
mkdir -p "$temp/programs/fibula-x86_64-unknown-linux-musl"
# Debugging information would take longer to compress than all else.
strip -o "$temp/programs/fibula-x86_64-unknown-linux-musl/fibula" "$program"
out=$temp/out
node packaging/pack.mjs --repository example/fibula --programs "$temp/programs" --out "$out"
version=$(node -p "require('$out/npm/fibula/package.json').version")

step "the archive"
(cd "$out/release" && sha256sum --check --quiet SHA256SUMS)
archive=fibula-$version-x86_64-unknown-linux-musl
tar -xzf "$out/release/$archive.tar.gz" -C "$temp"
[[ $(cd "$temp/$archive" && echo *) == "LICENSE-APACHE LICENSE-DejaVu LICENSE-MIT LICENSE-Noto README.md fibula" ]]
[[ $("$temp/$archive/fibula" expr 'length(pos)-5' --at 8,0,0) == "shape = 3" ]]

step "server.json"
node packaging/check.mjs registry "$out"

step "the bundle"
"$mcpb" unpack "$out/release/fibula-$version-linux-x64.mcpb" "$temp/bundle" >/dev/null
"$mcpb" validate "$temp/bundle"
node packaging/check.mjs bundle "$temp/bundle" "$temp"

step "npm packages: installation"
mkdir "$temp/npm"
cd "$temp/npm"
npm install --silent --offline --no-audit --no-fund "$out"/npm/*.tgz
launcher=$temp/npm/node_modules/.bin/fibula
[[ $(npx --offline fibula expr 'length(pos)-5' --at 8,0,0) == "shape = 3" ]]

step "npm packages: MCP over standard input and output, and the end of input"
node "$root/packaging/check.mjs" mcp "$launcher" mcp

step "npm packages: exit status"
expected=0 status=0
"$program" expr 'length(' >/dev/null 2>&1 || expected=$?
"$launcher" expr 'length(' >/dev/null 2>&1 || status=$?
((expected != 0 && status == expected))

step "npm packages: signals"
# terminate COMMAND...: starts a server, ends it with SIGTERM, and prints its exit status.
terminate() {
    local pid status=0
    # Else the loop could read what the server before has written.
    : >"$temp/serve.log"
    # In the foreground `timeout` passes the signal to its child only, not to the whole process group.
    timeout --foreground --signal=KILL 15 "$@" serve --listen 127.0.0.1:0 >"$temp/serve.log" 2>&1 &
    pid=$!
    for _ in {1..100}; do
        grep -q 'serves its page' "$temp/serve.log" && break
        sleep 0.1
    done
    kill -TERM "$pid"
    wait "$pid" || status=$?
    echo "$status"
}
expected=$(terminate "$program")
[[ $(terminate "$launcher") == "$expected" ]]
port=$(grep -oE '127\.0\.0\.1:[0-9]+' "$temp/serve.log" | head -n 1)
fails bash -c "exec 3<>'/dev/tcp/${port/:/\/}'" 2>/dev/null

step "npm packages: other platforms"
fails node -e "Object.defineProperty(process, 'platform', { value: 'freebsd' }); require('$(realpath "$launcher")')" 2>"$temp/error"
grep -q "no program for freebsd-x64, only for linux-x64; build it from source" "$temp/error"
rm -r node_modules/@fibula
fails "$launcher" --version 2>"$temp/error"
grep -q "@fibula/linux-x64, which contains the program, is not installed" "$temp/error"

step "links in README.md and docs/install.md"
node "$root/packaging/check.mjs" docs "$root/README.md"
node "$root/packaging/check.mjs" docs "$root/docs/install.md"
echo "ok"
