# SPDX-License-Identifier: Apache-2.0
"""The C and C++ reference, by Doxygen, and the check that every public symbol has a comment."""

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from doxygen_filter import filtered

HERE = pathlib.Path(__file__).parent
COMMENT = re.compile(r"^\s*(//|/\*|\*)|\*/\s*$|//|/\*")
# Members that every reader knows without a comment.
SELF_EXPLANATORY = re.compile(r"^(~\w+|operator\b.*|fields|begin|end|size_bytes)$")
GETTER = re.compile(r"\{ return \*?\w+_(->\w+)?; \}")


def doxygen(name, brief, headers, exclude, output, is_c):
    output.mkdir(parents=True, exist_ok=True)
    root = HERE.parents[2]
    values = {
        "NAME": name, "BRIEF": brief, "OUTPUT": output, "C": "YES" if is_c else "NO",
        "INPUT": " ".join(f'"{path}"' for path in headers), "EXCLUDE": " ".join(f'"{path}"' for path in exclude),
        "STRIP": f'"{root}/runtime/include" "{root}/drivers/include"',
        "FILTER": f"{sys.executable} {HERE}/doxygen_filter.py",
    }
    text = (HERE / "Doxyfile.in").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    configuration = output / "Doxyfile"
    configuration.write_text(text)
    result = subprocess.run(["doxygen", configuration], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"Doxygen reports:\n{result.stderr}")


def has_comment(lines, number):
    """Returns whether a comment precedes the declaration at a line, or its group: the lines up to a blank line."""
    line = lines[number - 1]
    if COMMENT.search(line):
        return True
    for above in reversed(lines[: number - 1]):
        if not above.strip():
            return False
        if COMMENT.search(above):
            return True
    return False


def is_exempt(member, compound, scope, line):
    """Returns whether a member needs no comment: private ones, fields and constructors, which the comment of
    their type covers, macros, and getters in one line."""
    name, kind = member.findtext("name") or "", member.get("kind")
    if member.get("prot") in ("private", "protected") or compound.get("prot") == "private" or kind in ("define", "friend"):
        return True
    if SELF_EXPLANATORY.match(name) or name.startswith("@") or name == scope or GETTER.search(line):
        return True
    return kind == "variable" and compound.get("kind") in ("class", "struct")


def covered_by_file(lines, name):
    """Returns whether the comment at the top of a header describes a type: it names the type."""
    top = []
    for line in lines:
        if top and not line.startswith(("///", " *", "/**")):
            break
        if line.startswith(("///", "/**", " *")):
            top.append(line)
    return re.search(rf"\b{re.escape(name)}\b", "\n".join(top)) is not None


def read_header(name):
    """Returns the filtered lines of a header that Doxygen names by its path as included."""
    root = HERE.parents[2]
    for path in (root / name, root / "runtime/include" / name, root / "drivers/include" / name):
        if path.is_file():
            return filtered(path.read_text()).splitlines()
    raise RuntimeError(f"Doxygen names '{name}', which is not a public header")


def declarations(output):
    """Yields (compound, member) for every type and member; of a type itself, both are the compound."""
    for path in sorted((output / "xml").glob("*.xml")):
        if path.name == "index.xml":
            continue
        for compound in xml.parse(path).getroot().iter("compounddef"):
            if compound.get("kind") in ("class", "struct"):
                yield compound, compound
            if compound.get("kind") in ("class", "struct", "namespace", "file"):
                for member in compound.iter("memberdef"):
                    yield compound, member


def undocumented(output):
    """Yields 'file:line: symbol' for every public declaration without a comment."""
    sources = {}
    for compound, member in declarations(output):
        place = member.find("location")
        if place is None:
            continue
        file, number = place.get("file"), int(place.get("line"))
        if file not in sources:
            sources[file] = read_header(file)
        lines = sources[file]
        scope = (compound.findtext("compoundname") or "").split("::")[-1].split("<")[0].strip()
        name = scope if member is compound else member.findtext("name")
        if member is compound and (compound.get("prot") == "private" or covered_by_file(lines, name)):
            continue
        if member is not compound and is_exempt(member, compound, scope, lines[number - 1]):
            continue
        if not has_comment(lines, number):
            yield f"{file}:{number - 1}: {name if member is compound else f'{scope}::{name}'}"
