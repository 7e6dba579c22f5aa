# SPDX-License-Identifier: Apache-2.0
"""Builds and checks the documentation site; script/dev/docs starts it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGES, SITE, API = ROOT / "build/docs/pages", ROOT / "build/docs/site", ROOT / "build/docs/api"
BIN = ROOT / "build/release/bin"
OWN_FILES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
# Files in the repository's root that are also pages of the site.
STAGED = {"CONTRIBUTING.md": "contributing/index.md", "SECURITY.md": "contributing/security-policy.md",
          "CHANGELOG.md": "release-notes.md"}
C_HEADERS = [ROOT / "drivers/include/nestrt/nestrt.h", ROOT / "drivers/include/nestrt/vendor.h"]

sys.path.insert(0, str(HERE))
import api_pages  # noqa: E402
import browse  # noqa: E402
import cli_pages  # noqa: E402
import environment  # noqa: E402
import layers  # noqa: E402
import links  # noqa: E402
import samples  # noqa: E402


def stage_own_file(name, page):
    """Copies a file of the repository's root as a page, and rewrites its links for their new location."""
    up = "../" * page.count("/")

    def rewrite(found):
        target = found[1]
        if target.startswith("docs/"):
            return f"]({up}{target[5:]})"
        return f"]({up}{STAGED[target]})" if target in STAGED else found[0]

    text = re.sub(r"\]\(([^)\s]+)\)", rewrite, (ROOT / name).read_text())
    (PAGES / page).write_text(text)


def stage_pages():
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES)
    for name, page in STAGED.items():
        stage_own_file(name, page)
    cli_pages.write_pages([BIN / "nestc", BIN / "nestrt", BIN / "evta-replay"], PAGES / "reference" / "cli")


def build_api():
    """Builds the C and C++ references into the pages, and returns the undocumented symbols."""
    shutil.rmtree(API, ignore_errors=True)
    includes = [ROOT / "runtime/include", ROOT / "drivers/include"]
    api_pages.doxygen("nestrt for C++", "Applications and driver authors", includes, C_HEADERS, API / "cpp", False)
    api_pages.doxygen("nestrt for C", "Applications and vendor plug-ins", C_HEADERS, [], API / "c", True)
    for name in ("cpp", "c"):
        shutil.copytree(API / name / "html", PAGES / "reference" / "api" / name / "html")
    return [f"{error} has no comment" for name in ("cpp", "c") for error in sorted(set(api_pages.undocumented(API / name)))]


def build_site(venv):
    shutil.rmtree(SITE, ignore_errors=True)
    command = [venv / "bin" / "mkdocs", "build", "--quiet", "--strict", "--config-file", HERE / "mkdocs.yml"]
    subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})


def sample_folder():
    """Returns a folder for samples to run in: the demo's plan as model.nest, and the repository's examples."""
    work = ROOT / "build/docs/samples"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "examples").symlink_to(ROOT / "examples")
    subprocess.run([BIN / "nestc", "compile", "examples/models/nest_squeeze_cifar10.onnx", "-o", "model.nest", "--mean", "128,128,128",
                    "--scale", "0.015625", "--resize", "32"], cwd=work, check=True, stdout=subprocess.DEVNULL)
    return work


def main():
    own_files = [ROOT / name for name in OWN_FILES]
    pages = sorted((ROOT / "docs").rglob("*.md"))
    errors = layers.check_layers(ROOT) + links.check_links(ROOT, own_files, pages)
    venv = environment.environment()
    stage_pages()
    errors += build_api()
    build_site(venv)
    errors += samples.check_samples(ROOT, [*own_files, *pages], sample_folder(), BIN)
    for error in errors:
        print(f"script/dev/docs: {error}", file=sys.stderr)
    if errors:
        return 1
    browse.check_site(SITE)
    print(f"the site is in {SITE}; view it: python3 -m http.server --bind 127.0.0.1 --directory {SITE}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, RuntimeError, browse.Unavailable, subprocess.SubprocessError) as error:
        sys.exit(f"script/dev/docs: {error}")
