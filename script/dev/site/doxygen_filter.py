#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Doxygen's input filter: turns this repository's plain comments into documentation comments, line by line."""

import re
import sys

CODE_SPAN = re.compile(r"(`[^`]*`)")


def escape(text):
    """Escapes what Doxygen would read as commands, tags or links, except in code spans."""
    parts = CODE_SPAN.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = parts[i].replace("\\", "\\\\").replace("@", "\\@").replace("#", "\\#").replace("%", "\\%")
        parts[i] = parts[i].replace("<", "\\<").replace(">", "\\>")
    return "".join(parts)


def string_free(line):
    """Replaces string literals with blanks of the same length, so that '//' in them is not a comment."""
    return re.sub(r'"(\\.|[^"\\])*"', lambda found: " " * len(found[0]), line)


def filter_line_comment(line):
    at = string_free(line).find("//")
    if at < 0 or "NOLINT" in line[at:]:
        return line
    code, comment = line[:at], escape(line[at + 2 :])
    return f"{code}///{'<' if code.strip() else ''}{comment}"


def filter_block_comment(line, state):
    """Handles one line of a C header; state[0] is whether the line starts inside a comment."""
    if not state[0]:
        at = line.find("/*")
        if at < 0:
            return line
        end = line.find("*/", at)
        mark = "/**<" if line[:at].strip() else "/**"
        state[0] = end < 0
        body = line[at + 2 :] if end < 0 else line[at + 2 : end]
        return f"{line[:at]}{mark}{escape(body)}{'' if end < 0 else line[end:]}"
    end = line.find("*/")
    state[0] = end < 0
    return escape(line) if end < 0 else escape(line[:end]) + line[end:]


def filtered(text):
    """Returns the filtered text of a header. It has one line more than the header, for the mark of the file's comment."""
    is_c = "#ifndef NESTRT_" in text
    state, marked, lines = [False], False, []
    for line in text.splitlines():
        line = filter_block_comment(line, state) if is_c else filter_line_comment(line)
        if not marked and line.startswith(("/**", "///")) and "SPDX" not in line:
            line = line.replace("/**", "/** @file\n *", 1) if is_c else "/// @file\n" + line
            marked = True
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(filtered(open(sys.argv[1], encoding="utf-8").read()))
