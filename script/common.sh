# What the scripts share; sourced, from the root of the repository.

# One cache of compiled files for every clone of the repository.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros

say() { printf '\n== %s\n' "$*"; }

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
