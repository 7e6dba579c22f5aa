#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ccache 4.7.5 with GCC 12.2 (Debian 12): after a change of only a comment in a precompiled header, a build that hits the
# cache fails with redefinitions, although the sources are correct.
#   header.h: #pragma once, a comment and a struct. all.h includes it and is precompiled; source.cpp includes header.h.
#   Compiled once with the comment "one", then with "two" and a changed source.cpp. The settings are those of ccache's
#   manual for precompiled headers: sloppiness pch_defines,time_macros and -fpch-preprocess.
#   Expected: both builds succeed. Observed: the second fails with: redefinition of 'struct A'.
#   With keep_comments_cpp (CCACHE_COMMENTS=1) it succeeds.
# The preprocessed text, which ccache hashes, is the same for both comments, so ccache returns the first precompiled
# header. GCC recognizes headers with #pragma once in it by size and checksum of their text, which includes comments.
# Why it matters: a commit that only rewords comments fails on every machine with a filled cache, and passes on others.
# What to do: set CCACHE_COMMENTS=1, or use include guards in headers that are precompiled.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in ccache=4.8+really4.7.5-1 libhiredis0.14=0.14.1-3; do
  apt-get download "$package" >/dev/null 2>&1 || { echo "$package is not available; this needs Debian 12"; exit 1; }
done
for archive in *.deb; do dpkg-deb -x "$archive" packages; done
compiler=g++-12
[ "$("$compiler" -dumpfullversion)" = 12.2.0 ] || { echo "g++-12 12.2.0 is not installed"; exit 1; }
ccache=$work/packages/usr/bin/ccache
libraries=$(echo "$work"/packages/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$libraries CCACHE_SLOPPINESS=pch_defines,time_macros
"$ccache" --version | grep -q 4.7.5

printf '#include "%s/header.h"\n' "$work" >all.h
printf '' >all.cpp

# build COMMENT NUMBER: compiles the header and a source.
build() {
  printf '#pragma once\n// %s\nstruct A { int x; };\n' "$1" >header.h
  printf '#include "header.h"\nA make() { return {%s}; }\n' "$2" >source.cpp
  rm -f all.h.gch
  "$ccache" "$compiler" -fpch-preprocess -x c++-header -include "$work/all.h" -o all.h.gch -c all.cpp
  "$ccache" "$compiler" -fpch-preprocess -include "$work/all.h" -o source.o -c source.cpp
}

# builds: builds with two comments and an empty cache. Prints the error of the second build.
builds() {
  rm -rf "$CCACHE_DIR"
  build one 1
  sleep 1.1  # ccache does not trust the time stamps of files that it sees in the second of their change
  local output
  output=$(build two 2 2>&1) || true
  grep -o 'redefinition of .*' <<<"$output" || echo "no error"
}

export CCACHE_DIR=$work/cache
default=$(builds)
with_comments=$(CCACHE_COMMENTS=1 builds)
echo "default: $default"
echo "CCACHE_COMMENTS=1: $with_comments"
[[ $default == redefinition* ]] && [ "$with_comments" = "no error" ]
