# SPDX-License-Identifier: Apache-2.0
"""Prints the line coverage by folder from the JSON summary of llvm-cov on standard input: coverage_table.py ROOT"""

import collections
import json
import pathlib
import sys


def folder_of(path, root):
    """Returns the first two folders of a source, relative to the repository."""
    parts = pathlib.PurePath(path).relative_to(root).parts[:-1]
    return "/".join(parts[:2])


def main():
    root = sys.argv[1]
    counts = collections.defaultdict(lambda: [0, 0])
    for file in json.load(sys.stdin)["data"][0]["files"]:
        if not file["filename"].startswith(root + "/build/"):
            lines = file["summary"]["lines"]
            for folder in (folder_of(file["filename"], root), "all"):
                counts[folder][0] += lines["count"]
                counts[folder][1] += lines["covered"]
    total = counts.pop("all", [0, 0])
    print(f"{'folder':40} {'lines':>8} {'covered':>8} {'%':>6}")
    for folder, (count, covered) in [*sorted(counts.items()), ("all", total)]:
        print(f"{folder:40} {count:8} {covered:8} {100 * covered / max(1, count):6.1f}")


if __name__ == "__main__":
    main()
