# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the report scripts: arguments, tables in Markdown, and pages with conditions."""

import argparse
import json
import pathlib
import tempfile
import textwrap

from machine import cpu_name
from programs import BIN, DATA, SCRIPT, fail, run

WIDTH = 120


def parser(description, data=False, models=None):
    """Returns a parser with --markdown, optionally --data, and the argument `models` (a number or "+" of ONNX files)."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--markdown", type=pathlib.Path, help="file for the page; default: standard output only")
    if data:
        result.add_argument("--data", type=pathlib.Path, default=DATA, help="folder of models and images; default: %(default)s")
    if models:
        result.add_argument("models", type=pathlib.Path, nargs=models, metavar="MODEL.onnx")
    return result


def require_models(data):
    """Returns the ONNX files of a data folder; ends the script with an error if it has no models."""
    models = sorted((data / "models").glob("*.onnx"))
    return models or fail(f"no models in {data / 'models'}; set the folder with --data")


def read_json(path, *command, **environment):
    """Runs a program that writes JSON to `path` and returns it."""
    run(*command, "--json", path, **environment)
    return json.loads(path.read_text())


def conditions():
    """Returns the CPU, instruction set and version of a measurement on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        units = read_json(pathlib.Path(folder) / "units.json", BIN / "nestrt", "info")["units"]
    instruction_set = next(unit["configuration"] for unit in units if unit["unit"] == "cpu")
    version = run(BIN / "nestrt", "--version").stdout.split()[-1]
    return f"{cpu_name()}, {instruction_set}, nestrt {version}"


def head(titles, text=1):
    """Returns the head of a table. The first `text` columns are left-aligned, the others right-aligned."""
    return ["| " + " | ".join(titles) + " |", "|" + "---|" * text + "---:|" * (len(titles) - text)]


def table(titles, rows, text=1):
    """Returns the lines of a table whose rows are lists of cells."""
    return head(titles, text) + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def wrap(paragraph):
    return textwrap.wrap(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)


def page(title, conditions_of, body, introduction="", options=""):
    """Returns a page that states the script and the conditions. `body` has lines; all paragraphs are wrapped."""
    lines = [f"# {title}", "", *wrap(f"`{SCRIPT}{options}` writes this page. {introduction}"), "",
             *wrap(f"**Conditions**: {conditions_of}"), ""]
    for line in body:
        lines += wrap(line) if line and line[0] not in "|#`" else [line]
    return "\n".join(lines).rstrip("\n") + "\n"


def publish(text, path):
    """Prints a page and writes it to `path` if a path is given."""
    print(text, end="")
    if path:
        path.write_text(text)
