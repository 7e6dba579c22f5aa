# SPDX-License-Identifier: Apache-2.0
"""Compiles or runs the code samples of the documentation.

A fenced block states its language. `cpp` and `c` blocks are compiled; `python` blocks are parsed, and their calls are
compared with the package's signatures; of `sh` blocks the programs, scripts and options are checked. A block after a
line `<!-- run -->` is run as well, in a folder that has the demo's plan as model.nest and the repository's examples.
"""

import ast
import os
import re
import shlex
import subprocess

FENCE = re.compile(r"^ *```(\S*)(.*)$")
LANGUAGES = {"cpp", "c", "python", "sh", "text", "yaml", "json"}
PROGRAMS = {"nestc", "nestrt", "evta-replay"}


class Sample:
    """A fenced block: where it is, its language and text, and whether it is run."""

    def __init__(self, path, line, language, text, run):
        self.path, self.line, self.language, self.text, self.run = path, line, language, text, run

    def __str__(self):
        return f"{self.path}:{self.line}"


def samples_of(path, name):
    """Yields the fenced blocks of a Markdown file."""
    block, start, language, run, previous = None, 0, "", False, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if block is None and fence:
            block, start, language, run = [], number, fence[1], previous.strip() == "<!-- run -->"
        elif block is not None and fence:
            yield Sample(name, start, language, "\n".join(block) + "\n", run)
            block = None
        elif block is not None:
            block.append(line)
        previous = line


def wrapped(text, header=""):
    """Puts statements into a main function; includes stay in front. A text with a main function only gains the header."""
    if re.search(r"\bint main\(", text):
        return f"{header}\n{text}"
    includes = [line for line in text.splitlines() if line.startswith("#include")]
    rest = [line for line in text.splitlines() if not line.startswith("#include")]
    return "\n".join([header, *includes, "int main() {", *rest, "  return 0;", "}"]) + "\n"


class Checker:
    """Collects errors in samples."""

    def __init__(self, root, work, programs):
        self.root, self.work, self.programs, self.errors = root, work, programs, []
        self.helps = {}
        self.signatures = python_signatures(root / "python" / "nestrt")

    def check(self, sample):
        if sample.language not in LANGUAGES:
            self.errors.append(f"{sample}: a code block needs a language of {sorted(LANGUAGES)}, not '{sample.language}'")
            return
        check = getattr(self, f"check_{sample.language}", None)
        if check is not None:
            check(sample)

    def report(self, sample, text):
        self.errors.append(f"{sample}: {text.strip()}")

    def run(self, sample, command, **options):
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        result = subprocess.run(command, cwd=self.work, capture_output=True, text=True, timeout=300,
                                env={**os.environ, "PATH": path}, **options)
        if result.returncode != 0:
            self.report(sample, f"exit code {result.returncode}\n{result.stdout}{result.stderr}")

    def compile(self, sample, compiler, suffix, header):
        source = self.work / f"sample_{abs(hash(str(sample)))}{suffix}"
        source.write_text(wrapped(sample.text, header))
        command = [*compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
                   f"-I{self.root}/runtime/include", f"-I{self.root}/drivers/include", source]
        if not sample.run:
            self.run(sample, [*command, "-fsyntax-only"])
            return
        library = self.programs.parent / "lib"
        self.run(sample, [*command, "-o", source.with_suffix(""), f"-L{library}", "-lnestrt", f"-Wl,-rpath,{library}"])
        self.run(sample, [source.with_suffix("")])

    def check_cpp(self, sample):
        self.compile(sample, ["g++", "-std=c++20", "-x", "c++"], ".cpp", "")

    def check_c(self, sample):
        self.compile(sample, ["gcc", "-std=c11"], ".c", "#include <stdio.h>\n#include <stdlib.h>")

    def check_python(self, sample):
        try:
            tree = ast.parse(sample.text)
        except SyntaxError as error:
            self.report(sample, f"line {error.lineno}: {error.msg}")
            return
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) \
                    and call.func.value.id == "nestrt":
                self.check_call(sample, call)

    def check_call(self, sample, call):
        parameters = self.signatures.get(call.func.attr)
        if parameters is None:
            self.report(sample, f"the package nestrt has no public '{call.func.attr}'")
            return
        for keyword in call.keywords:
            if keyword.arg is not None and "**" not in parameters and keyword.arg not in parameters:
                self.report(sample, f"nestrt.{call.func.attr} has no parameter '{keyword.arg}'")

    def check_sh(self, sample):
        for command in commands_of(sample.text):
            self.check_command(sample, command)
        if sample.run:
            self.run(sample, ["bash", "-euo", "pipefail", "-c", sample.text])

    def check_command(self, sample, words):
        if words[0].startswith("script/") and not (self.root / words[0]).is_file():
            self.report(sample, f"'{words[0]}' does not exist")
        name = os.path.basename(words[0])
        if name not in PROGRAMS:
            return
        command = [word for word in words[1:2] if re.fullmatch(r"[a-z][a-z-]*", word)]
        text = self.help_of(name, command)
        for word in words[1:]:
            option = word.split("=")[0]
            if option.startswith("--") and not re.search(rf"(^|[\s,]){re.escape(option)}(?![\w-])", text):
                self.report(sample, f"'{' '.join([name, *command])}' has no option {option}")

    def help_of(self, name, command):
        key = (name, *command)
        if key not in self.helps:
            result = subprocess.run([self.programs / name, *command, "--help"], capture_output=True, text=True)
            self.helps[key] = result.stdout if result.returncode == 0 else ""
        return self.helps[key]


def commands_of(text):
    """Yields the words of each simple command: continuation lines joined, comments dropped, pipelines divided."""
    for line in text.replace("\\\n", " ").splitlines():
        line = re.sub(r"\[[^\]]*\]", "", line) if line.lstrip().startswith("script/") else line
        try:
            words = list(shlex.shlex(line, posix=True, punctuation_chars=True)) and split_words(line)
        except ValueError:
            continue
        command = []
        for word in [*words, ";"]:
            if word in (";", "&&", "||", "|"):
                if command:
                    yield command
                command = []
            elif command or "=" not in word:
                command.append(word)


def split_words(line):
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    return list(lexer)


def python_signatures(folder):
    """Returns the parameters of every public function and class of the package, by name."""
    signatures = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                made = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
                fields = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign)]
                signatures[node.name] = parameters_of(made[0]) if made else fields
            elif isinstance(node, ast.FunctionDef):
                signatures[node.name] = parameters_of(node)
    return {name: values for name, values in signatures.items() if not name.startswith("_")}


def parameters_of(function):
    arguments = function.args
    names = [item.arg for item in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    return [*names, "**"] if arguments.kwarg else names


def check_samples(root, pages, work, programs):
    """Returns the errors in the samples of the pages, one message each."""
    checker = Checker(root, work, programs)
    for path in pages:
        for sample in samples_of(path, path.relative_to(root)):
            checker.check(sample)
    return checker.errors
