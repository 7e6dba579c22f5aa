# SPDX-License-Identifier: Apache-2.0
"""Checks the layer diagram of ARCHITECTURE.md against the #include lines of the sources.

A line of the diagram is `folder -> folder, folder`. Every include of a source must lead to its own folder or to one on
the right; every folder on the right must be included.
"""

import re
import subprocess

LINE = re.compile(r"^([\w/-]+) +-> +(.*)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
PUBLIC = ("runtime/include/", "drivers/include/")


def diagram(text):
    """Returns the allowed targets by folder, from the first block of lines with arrows."""
    layers = {}
    for line in text.splitlines():
        found = LINE.match(line.strip())
        if found:
            layers[found[1]] = {name for name in re.split(r"[ ,]+", found[2]) if name and name != "(nothing)"}
    return layers


def folder_of(path, layers):
    fitting = [name for name in layers if path.startswith(name + "/")]
    return max(fitting, key=len, default=None)


def edges(root, layers):
    """Returns for each pair of folders a file of the first that includes one of the second."""
    paths = subprocess.run(["git", "ls-files", "--", *layers], cwd=root, capture_output=True, text=True, check=True)
    files = {path for path in paths.stdout.split() if re.search(r"\.(h|c|cpp|S)$", path) and (root / path).is_file()}
    found = {}
    for path in files:
        source = folder_of(path, layers)
        for target in INCLUDE.findall((root / path).read_text(errors="replace")):
            actual = next((name for name in (target, *(prefix + target for prefix in PUBLIC)) if name in files), None)
            if actual is not None and folder_of(actual, layers) != source:
                found.setdefault((source, folder_of(actual, layers)), path)
    return found


def check_layers(root):
    """Returns the differences between the diagram and the sources, one message each."""
    layers = diagram((root / "ARCHITECTURE.md").read_text())
    if len(layers) < 6:
        return ["ARCHITECTURE.md: no layer diagram of lines 'folder -> folder, folder'"]
    found = edges(root, layers)
    errors = [f"ARCHITECTURE.md: {source} includes {target} ({path}), which the layer diagram does not show"
              for (source, target), path in sorted(found.items()) if target not in layers[source]]
    errors += [f"ARCHITECTURE.md: the layer diagram shows {source} -> {target}, but nothing there includes it"
               for source, targets in layers.items() for target in sorted(targets) if (source, target) not in found]
    return errors
