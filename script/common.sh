# SPDX-License-Identifier: Apache-2.0
# Shared functions of the scripts. Source it first: it changes to the root of the repository and handles --help.

# The caller's working directory, the script's file, and its name in messages, such as script/dev/fuzz.
caller=$PWD
script_file=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
script_name=${script_file#"$PWD/"}

# usage: prints the comment at the top of the script.
usage() { sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$script_file"; }

# fail MESSAGE: ends the script with an error.
fail() { echo "$script_name: $*" >&2; exit 1; }

# reject MESSAGE: ends the script because its arguments are wrong.
reject() { echo "$script_name: $*; see $script_name --help" >&2; exit 2; }

# from_caller PATH: prints an absolute path for a path that the user gave.
from_caller() { (cd "$caller" && realpath -m -- "$1"); }

[ "${1:-}" != --help ] || { usage; exit 0; }

# All clones of the repository share one compiler cache.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros
# Without comments in the hash, ccache returns the precompiled header of a version that differs only in comments. GCC
# compares the contents of headers for #pragma once, and would then read them twice.
export CCACHE_COMMENTS=1

# say TEXT: prints a heading with the elapsed time. Nested scripts count from the start of the outermost one.
export NESTRT_STARTED=${NESTRT_STARTED:-$EPOCHSECONDS}
say() {
  local seconds=$((EPOCHSECONDS - NESTRT_STARTED))
  printf '\n== %s (%d:%02d)\n' "$*" $((seconds / 60)) $((seconds % 60))
}

# build PRESET [TARGET...]: configures and builds build/PRESET. Prints the tools' output only on failure.
build() {
  local preset=$1 log=build/$1.log
  shift
  say "build $preset"
  mkdir -p build
  if ! {
    cmake --preset "$preset" && cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
  } >"$log" 2>&1; then
    grep -E -A12 'error|Error|FAILED' "$log" | head -n 100 >&2 || true
    echo "$0: the build of '$preset' failed; see $log for the full log" >&2
    return 1
  fi
}

# with_dependencies PACKAGE...: prints the packages, and all arm64 dependencies of those named PACKAGE:arm64. Other
# packages are architecture-independent and printed without dependencies.
with_dependencies() {
  printf '%s\n' "$@" | grep -v : || true
  apt-get --simulate -o Dir::State::status=/dev/null install --no-install-recommends "$@" |
    sed -nE 's/^Inst ([^ ]+:arm64) .*/\1/p'
}

# unpack_packages FOLDER ARCHIVE...: unpacks into a folder with merged /usr, as Debian's packages expect.
unpack_packages() {
  local folder=$1 archive
  shift
  mkdir -p "$folder/usr/bin" "$folder/usr/sbin" "$folder/usr/lib"
  for link in bin sbin lib; do
    [ -e "$folder/$link" ] || ln -s "usr/$link" "$folder/$link"
  done
  for archive in "$@"; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$folder"
  done
}

# unpack_debian FOLDER ARCHIVES PACKAGE...: downloads Debian packages and dependencies to ARCHIVES and unpacks them.
unpack_debian() {
  local folder=$1 archives=$2 packages
  mapfile -t packages < <(with_dependencies "${@:3}")
  mkdir -p "$archives"
  (cd "$archives" && apt-get -q download "${packages[@]}" >/dev/null)
  unpack_packages "$folder" "$archives"/*.deb
}

# failures_in LOG: prints a ctest log without the lines of tests that passed or were skipped.
failures_in() {
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .*(Passed|\*\*\*Skipped) )' "$1"
}
