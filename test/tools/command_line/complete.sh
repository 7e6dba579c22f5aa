#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the completions that bash offers for the last word: complete.sh FOLDER_OF_PROGRAMS COMPLETION WORD...
set -euo pipefail
PATH=$1:$PATH
# shellcheck source=/dev/null
. "$2"
shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_nestrt
echo "${COMPREPLY[*]-}"
