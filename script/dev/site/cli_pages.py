# SPDX-License-Identifier: Apache-2.0
"""Reference pages for the command-line programs, generated from their --help."""

import re
import subprocess

SECTION = re.compile(r"^(Positionals|Options|Subcommands|Examples):$")


def help_of(program, *command):
    result = subprocess.run([program, *command, "--help"], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"'{program.name} {' '.join(command)} --help' exited with {result.returncode}: {result.stderr}")
    return result.stdout


def sections_of(text):
    """Splits a help text into (title, lines); the part before the first section has the title ''."""
    sections = [("", [])]
    for line in text.splitlines():
        found = SECTION.match(line)
        if found:
            sections.append((found[1], []))
        else:
            sections[-1][1].append(line)
    return sections


def entries_of(lines):
    """Joins the lines of an options section into (name, description)."""
    entries = []
    for line in lines:
        if entries and re.match(r"\S", line):  # the footer
            break
        if re.match(r"^  \S", line):
            name, _, text = line.strip().replace("{false}", "").partition("  ")
            entries.append([name, text.strip()])
        elif line.strip() and entries:
            entries[-1][1] = f"{entries[-1][1]} {line.strip()}".strip()
    return entries


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def table(title, lines):
    rows = [f"**{title}**", "", "| | |", "|---|---|"]
    for name, text in entries_of(lines):
        rows.append(f"| `{name.replace('|', chr(92) + '|')}` | {escape(text)} |")
    return rows


def command_page(program, command, level):
    """Returns the Markdown of one command, and the names of its subcommands."""
    text, subcommands = help_of(program, *command), []
    lines = [f"{'#' * level} {' '.join([program.name, *command])}", ""]
    for title, body in sections_of(text):
        if title == "":
            usage = [line for line in body if line.startswith("Usage: ")]
            lines += [escape(line) for line in body if line and not line.startswith("Usage: ")]
            lines += ["", *(f"    {line[7:]}" for line in usage), ""]
        elif title == "Examples":
            lines += ["**Examples**", "", *(f"    {line.strip()}" for line in body if line.strip()), ""]
        else:
            lines += [*table(title, body), ""]
            if title == "Subcommands":
                subcommands = [name for name, _ in entries_of(body) if re.fullmatch(r"[a-z-]+", name)]
    return lines, subcommands


def write_pages(programs, folder):
    """Writes one page per program into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in programs:
        lines, subcommands = command_page(program, [], 1)
        for name in subcommands:
            lines += command_page(program, [name], 2)[0]
        (folder / f"{program.name}.md").write_text("\n".join(lines) + "\n")
