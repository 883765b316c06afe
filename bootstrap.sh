#!/usr/bin/env bash
# From a bare Debian 12 to a posed mesh (demo) or a tested build (test), in one command.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: ./bootstrap.sh COMMAND

  demo   install what the build needs, build skinpose, pose data/tube.gltf
  test   install what the tests need too, build with warnings as errors, run all tests
  deps   only install what demo and test need
  help   this text

Packages are installed with apt-get, and only those that are missing; that needs root or sudo.
Everything is built below build/. Jobs run at a time: SKINPOSE_JOBS, or as many as the machine has
cores and memory for.
TEXT
}

say() { printf 'bootstrap: %s\n' "$*"; }

die() {
    printf 'bootstrap: error: %s\n' "$*" >&2
    exit 1
}

caller_dir=$PWD
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

# --- packages ------------------------------------------------------------------------------------

# A tool counts as there when its command is, wherever it comes from (package:command); a library
# when its Debian package is.
build_tools=(g++:g++ cmake:cmake ninja-build:ninja ccache:ccache pkg-config:pkg-config)
build_libraries=(libeigen3-dev libfmt-dev libcli11-dev nlohmann-json3-dev libmeshoptimizer-dev
    libdraco-dev)
test_tools=(clang:clang++)
test_libraries=(libgtest-dev python3 python3-numpy python3-jsonschema)

has_package() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_missing() {
    local wanted missing=()
    for wanted in "$@"; do
        case $wanted in
            *:*) command -v "${wanted#*:}" >/dev/null 2>&1 || missing+=("${wanted%%:*}") ;;
            *) ! command -v dpkg-query >/dev/null 2>&1 || has_package "$wanted" ||
                missing+=("$wanted") ;;
        esac
    done
    if [ "${#missing[@]}" -eq 0 ]; then
        say "nothing to install"
        return
    fi
    command -v apt-get >/dev/null 2>&1 ||
        die "there is no apt-get here; install by hand: ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            die "neither root nor sudo; ask somebody to run: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing ${#missing[@]} packages (some minutes): ${missing[*]}"
    local log
    log=$(mktemp)
    # A fresh machine may still be busy with its own updates: wait for the lock.
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C
        apt-get -q -o DPkg::Lock::Timeout=300)
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } \
        </dev/null >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "apt-get failed; all it said is in $log"
    fi
    rm -f "$log"
}

# --- building ------------------------------------------------------------------------------------

# Cores, but no more than one for each 700 MB: the files that include all of Eigen need most of that.
job_count() {
    local jobs kilobytes limit
    jobs=$(nproc 2>/dev/null || echo 1)
    kilobytes=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
    limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
    case $limit in
        '' | *[!0-9]*) ;;
        *) [ -n "$kilobytes" ] && [ $((limit / 1024)) -ge "$kilobytes" ] ||
            kilobytes=$((limit / 1024)) ;;
    esac
    if [ -n "$kilobytes" ] && [ $((kilobytes / 716800)) -lt "$jobs" ]; then
        jobs=$((kilobytes / 716800))
    fi
    [ "$jobs" -ge 1 ] || jobs=1
    echo "$jobs"
}

# Runs a command that has much to say; shows it only when it fails.
quietly() {
    local log=$1
    shift
    if ! "$@" </dev/null >"$log" 2>&1; then
        tail -n 200 "$log" >&2
        die "failed: $* (all it said is in $root/$log)"
    fi
}

# build PRESET FOLDER [CMAKE_ARGUMENT...]
build() {
    local preset=$1 folder=$2
    shift 2
    local arguments=("$@")
    mkdir -p "$folder"
    # A tree that was copied or moved with its build folder: CMake would refuse it.
    if [ -f "$folder/CMakeCache.txt" ] &&
        ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$root/$folder" "$folder/CMakeCache.txt"; then
        say "$folder was made in another place; starting it afresh"
        arguments+=(--fresh)
    fi
    local launcher=''
    if command -v ccache >/dev/null 2>&1; then
        launcher=ccache
        # Without a home folder ccache does not know where to keep its files.
        [ -n "${CCACHE_DIR:-}${XDG_CACHE_HOME:-}${HOME:-}" ] || export CCACHE_DIR="$root/build/ccache"
    fi
    say "configuring $folder"
    quietly "$folder/configure.log" \
        cmake --preset "$preset" "${arguments[@]}" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher"
    say "building $folder, $jobs at a time"
    if [ -t 1 ]; then
        cmake --build --preset "$preset" --parallel "$jobs" || die "the build failed, see above"
    else
        quietly "$folder/build.log" cmake --build --preset "$preset" --parallel "$jobs"
    fi
}

# --- commands ------------------------------------------------------------------------------------

demo() {
    install_missing "${build_tools[@]}" "${build_libraries[@]}"
    build demo build/release
    local skinpose=build/release/cli/skinpose mesh=out/tube_bend_t0.5.obj
    mkdir -p out
    local command
    for command in "info data/tube.gltf" "pose data/tube.gltf --clip bend --t 0.5 -o $mesh"; do
        say "$skinpose $command"
        # shellcheck disable=SC2086 # words of our own, none with a blank
        "$skinpose" $command || die "skinpose failed with exit code $?"
    done
    local report=${mesh%.obj}.json shown=''
    if [ ! -s "$mesh" ] || [ ! -s "$report" ]; then die "skinpose wrote no $mesh or no $report"; fi
    [ "$caller_dir" -ef "$root" ] || shown=$root/
    say "mesh:   $shown$mesh"
    say "report: $shown$report"
}

tests() {
    install_missing "${build_tools[@]}" "${build_libraries[@]}" "${test_tools[@]}" \
        "${test_libraries[@]}"
    # The Python whose modules were just asked for, not another one that is first in PATH.
    local python=()
    [ ! -x /usr/bin/python3 ] || python=(-DPython3_EXECUTABLE=/usr/bin/python3)
    build ci build/ci "${python[@]}"
    say "running the tests"
    # Last, and nothing after it: the summary is what is left to read.
    exec ctest --preset ci --output-on-failure --parallel "$jobs"
}

[ "$#" -eq 1 ] || { usage >&2; exit 2; }
cd -- "$root"
jobs=${SKINPOSE_JOBS:-$(job_count)}
case $1 in
    demo) demo ;;
    test) tests ;;
    deps) install_missing "${build_tools[@]}" "${build_libraries[@]}" "${test_tools[@]}" \
        "${test_libraries[@]}" ;;
    help | -h | --help) usage ;;
    *)
        usage >&2
        die "unknown command: $1"
        ;;
esac
