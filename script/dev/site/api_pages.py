"""The C and C++ reference, by Doxygen, and the check that every public symbol has a comment."""

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from doxygen_filter import filtered

HERE = pathlib.Path(__file__).parent
COMMENT = re.compile(r"^\s*(//|/\*|\*)|\*/\s*$|//|/\*")
KINDS = {"function", "variable", "enum", "typedef", "enumvalue"}
# Members that every C++ reader knows without a comment.
SELF_EXPLANATORY = re.compile(r"^(~\w+|operator\b.*)$")


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


def is_exempt(member, scope):
    name = member.findtext("name") or ""
    if member.get("prot") in ("private", "protected") or SELF_EXPLANATORY.match(name) or name.startswith("@"):
        return True
    if name.endswith("_H_") or name == scope:  # include guards; constructors that the class's comment covers
        return True
    return member.get("kind") == "function" and member.find("reimplements") is not None


def read_header(name):
    """Returns the filtered lines of a header that Doxygen names by its path as included."""
    root = HERE.parents[2]
    for path in (root / name, root / "runtime/include" / name, root / "drivers/include" / name):
        if path.is_file():
            return filtered(path.read_text()).splitlines()
    raise RuntimeError(f"Doxygen names '{name}', which is not a public header")


def undocumented(output):
    """Yields 'file:line: symbol' for every public declaration without a comment."""
    sources = {}
    for path in sorted((output / "xml").glob("*.xml")):
        if path.name == "index.xml":
            continue
        for compound in xml.parse(path).getroot().iter("compounddef"):
            if compound.get("kind") not in ("class", "struct", "namespace", "file"):
                continue
            scope = (compound.findtext("compoundname") or "").split("::")[-1].split("<")[0].strip()
            declared = list(compound.iter("memberdef"))
            if compound.get("kind") in ("class", "struct"):
                declared.append(compound)
            for member in declared:
                place = member.find("location")
                if place is None or member.get("kind") == "friend":
                    continue
                if member is not compound and is_exempt(member, scope):
                    continue
                file = place.get("file")
                if file not in sources:
                    sources[file] = read_header(file)
                if not has_comment(sources[file], int(place.get("line"))):
                    name = member.findtext("compoundname") if member is compound else f"{scope}::{member.findtext('name')}"
                    yield f"{file}:{int(place.get('line')) - 1}: {name}"
