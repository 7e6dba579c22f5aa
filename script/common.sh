# SPDX-License-Identifier: Apache-2.0
# What the scripts share. Source it first: it changes to the root of the repository and answers --help.

# The folder from which the script was called, the script's file, and its name for messages, such as script/dev/fuzz.
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

# One cache of compiled files for every clone of the repository.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros

# What comes next, and how long it took to come here: scripts that are started by others count from the first.
export NESTRT_STARTED=${NESTRT_STARTED:-$EPOCHSECONDS}
say() {
  local seconds=$((EPOCHSECONDS - NESTRT_STARTED))
  printf '\n== %s (%d:%02d)\n' "$*" $((seconds / 60)) $((seconds % 60))
}

# build PRESET [TARGET...]: configures and builds build/PRESET; prints what the tools say only where they fail.
build() {
  local preset=$1 log=build/$1.log
  shift
  say "build $preset"
  mkdir -p build
  if ! {
    cmake --preset "$preset" && cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
  } >"$log" 2>&1; then
    grep -E -A12 'error|Error|FAILED' "$log" | head -n 100 >&2 || true
    echo "$0: the build of '$preset' failed; the whole log is $log" >&2
    return 1
  fi
}

# packages_behind PACKAGE...: PACKAGE:arm64 with all of arm64 that apt would install for them where nothing is; others,
# which are for all architectures, alone.
packages_behind() {
  printf '%s\n' "$@" | grep -v : || true
  apt-get --simulate -o Dir::State::status=/dev/null install --no-install-recommends "$@" |
    sed -nE 's/^Inst ([^ ]+:arm64) .*/\1/p'
}

# unpack_packages FOLDER ARCHIVE...: into a folder where /lib is /usr/lib, as Debian's packages expect it.
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

# unpack_debian FOLDER ARCHIVES PACKAGE...: packages of Debian and what is behind them, fetched into ARCHIVES.
unpack_debian() {
  local folder=$1 archives=$2 packages
  mapfile -t packages < <(packages_behind "${@:3}")
  mkdir -p "$archives"
  (cd "$archives" && apt-get -q download "${packages[@]}" >/dev/null)
  unpack_packages "$folder" "$archives"/*.deb
}

# failures_in LOG: what ctest wrote of the tests that failed, without a line for each of the others.
failures_in() {
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .*(Passed|\*\*\*Skipped) )' "$1"
}
