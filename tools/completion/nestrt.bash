# SPDX-License-Identifier: Apache-2.0
# Bash completion for nestrt and nestc: commands, options of a command and values of an option, taken from --help;
# otherwise file names.

# Prints the help of a program or of one of its commands; prints nothing if the command does not exist.
_nestrt_help() { "$@" --help 2>/dev/null || true; }

# Prints the commands in a help text.
_nestrt_commands() { sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'; }

# Prints the options in a help text.
_nestrt_options() { grep -oE '^ +(-[a-z],)?--[a-z0-9][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' || true; }

# Prints the values that a help text lists for an option: TEXT:{xrt,sim}.
_nestrt_values() { grep -E -- "^ +(-[a-z],)?$1( |\$)" | grep -oE '\{[a-z0-9_,.-]+\}' | head -n 1 | tr -d '{}' | tr ',' '\n' || true; }

_nestrt() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} values
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_nestrt_help "$program" | _nestrt_commands) --help --version" -- "$word")
    return
  fi
  local help
  help=$(_nestrt_help "$program" "${COMP_WORDS[1]}")
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_nestrt_options <<<"$help")" -- "$word")
    return
  fi
  [[ $before != --* ]] || values=$(_nestrt_values "$before" <<<"$help")
  if [ -n "${values:-}" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  else
    compopt -o filenames 2>/dev/null || true
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -F _nestrt nestrt nestc
