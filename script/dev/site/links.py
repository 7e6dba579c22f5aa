# SPDX-License-Identifier: Apache-2.0
"""Checks links and paths: links of the repository's own Markdown files, and paths of sources that pages name."""

import re

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:%s)/[\w./+-]*)`")
FOLDERS = ("boards", "compiler-lite", "docs", "drivers", "examples", "kernels", "python", "runtime", "scheduler", "script",
           "test", "toolchains", "tools")


def without_code(text):
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)


def broken_links(root, path):
    """Yields the broken relative links of a file."""
    for target in LINK.findall(without_code(path.read_text())):
        if not re.match(r"[a-z]+:|#", target) and not (path.parent / target.split("#")[0]).exists():
            yield f"{path.relative_to(root)}: the link to '{target}' is broken"


def missing_paths(root, path):
    """Yields the paths in code spans that do not exist in the repository."""
    pattern = re.compile(PATH.pattern % "|".join(FOLDERS))
    for name in pattern.findall(without_code(path.read_text())):
        if not (root / name).exists():
            yield f"{path.relative_to(root)}: '{name}' does not exist"


def check_links(root, own_files, pages):
    """Returns the broken links of the repository's files, and the missing paths that files and pages name."""
    errors = [error for path in own_files for error in broken_links(root, path)]
    return errors + [error for path in [*own_files, *pages] for error in missing_paths(root, path)]
