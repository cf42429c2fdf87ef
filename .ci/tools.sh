# What the checks need and a machine may lack. Sourced by `run` and `conformance/run`; every install is
# pinned, and lands in the cache folder, where the next run finds it.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "${FIBULA_CI_CACHE:-$root/target/ci}"
cache=$(cd "${FIBULA_CI_CACHE:-$root/target/ci}" && pwd)
# shellcheck disable=SC2034  # for those who source this
built=$(cd "$root" && realpath -m "${CARGO_TARGET_DIR:-target}")/debug

cargo_deny_version=0.20.2

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# build_program bin|example NAME: builds a program into $built. In CI with the features that the tests' build has just
# had, so that nothing is built twice; else no more than is asked for.
build_program() {
    local also=()
    [[ -z ${CI:-} ]] || also=(--tests)
    cargo build --locked --quiet --workspace "${also[@]}" "--$1" "$2"
}

# Debian packages, for the commands that only the system can give.
apt_install() {
    [[ $(id -u) == 0 ]] || die "please install: $*"
    command -v apt-get >/dev/null || die "please install: $*"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends -y "$@" >/dev/null
}

# install_npm NAME: installs .ci/NAME/package-lock.json into $cache/NAME.
install_npm() {
    local from=$root/.ci/$1 to=$cache/$1 stamp
    stamp=$(cat "$from"/package*.json | sha256sum | cut -d' ' -f1)
    if [[ $(cat "$to/installed" 2>/dev/null) != "$stamp" ]]; then
        command -v npm >/dev/null || apt_install nodejs npm
        rm -rf "$to"
        mkdir -p "$to"
        cp "$from/package.json" "$from/package-lock.json" "$to/"
        (cd "$to" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
        echo "$stamp" >"$to/installed"
    fi
}

# Puts a Node of at least 22, which the conformance suite asks for, first in PATH.
need_node() {
    local major
    major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
    if ((${major:-0} < 22)); then
        install_npm node
        PATH=$(echo "$cache"/node/node_modules/node-linux-*/bin):$PATH
        export PATH
    fi
}

# Sets $chromium to a browser without a window, with a graphics library in software.
need_chromium() {
    chromium=$(command -v chromium || command -v chromium-browser || true)
    [[ -n $chromium ]] || {
        apt_install chromium
        chromium=$(command -v chromium)
    }
}

# need_python NAME: sets $python to an interpreter that has .ci/NAME/requirements.txt.
need_python() {
    local pins=$root/.ci/$1/requirements.txt to=$cache/python-$1 stamp
    stamp=$(sha256sum <"$pins" | cut -d' ' -f1)
    python=$to/bin/python
    if [[ $(cat "$to/installed" 2>/dev/null) != "$stamp" ]]; then
        python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3 python3-venv
        rm -rf "$to"
        python3 -m venv "$to"
        "$python" -m pip install --quiet --disable-pip-version-check --requirement "$pins"
        echo "$stamp" >"$to/installed"
    fi
}

# Sets $cargo_deny to the program. It is built for a short build, not for speed: 102 s instead of the 169 s of level 1
# on two cores, to check a few hundred crates in 4.5 s instead of 2.5 s.
need_cargo_deny() {
    cargo_deny=$(command -v cargo-deny || true)
    [[ -n $cargo_deny && $("$cargo_deny" --version) == "cargo-deny $cargo_deny_version" ]] && return
    cargo_deny=$cache/cargo-deny/bin/cargo-deny
    [[ -x $cargo_deny && $("$cargo_deny" --version) == "cargo-deny $cargo_deny_version" ]] && return
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked cargo-deny --version "$cargo_deny_version" --root "$cache/cargo-deny"
}
