# SPDX-License-Identifier: Apache-2.0
"""Formats the figures of script/bench/networks as a page in Markdown."""

import textwrap

from bench_names import DEPLOYED

TITLES = {"nestrt": "nestrt", "nestrt_s8": "nestrt s8", "openvino": "OpenVINO", "onnxruntime": "ONNX Runtime", "ncnn": "ncnn",
          "mnn": "MNN", "litert": "LiteRT"}
TYPES = {"f32": "f32", "int8": "8 bits"}


def is_own(name):
    return name.startswith("nestrt")


def best_peer(row, figure):
    """Returns (name, value) of the peer with the lowest figure, or None without peers."""
    found = [(name, entry[figure]) for name, entry in row["runtimes"].items() if not is_own(name)]
    return min(found, key=lambda pair: pair[1]) if found else None


def columns(rows):
    return [name for name in TITLES if any(name in row["runtimes"] for row in rows)]


def table(titles, lines):
    return ["| " + " | ".join(titles) + " |", "|---|" + "---:|" * (len(titles) - 1)] + [
        "| " + " | ".join(line) + " |" for line in lines]


def ratio(row, name):
    best = best_peer(row, "median_ms")
    return f"{best[1] / row['runtimes'][name]['median_ms']:.2f}" if best else "-"


def milliseconds(value):
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def geometric_mean(values):
    product = 1.0
    for value in values:
        product *= float(value)
    return product ** (1 / len(values))


def limit(report):
    return f", limited to {report['isa']}" if report.get("isa") else ""


def latency_table(rows):
    names = columns(rows)
    own = [name for name in names if is_own(name)]
    titles = ["Network", "threads"] + [TITLES[name] for name in names] + [f"best peer / {TITLES[name]}" for name in own]
    lines = []
    for row in rows:
        times = [milliseconds(row["runtimes"][name]["median_ms"]) if name in row["runtimes"] else "-" for name in names]
        lines.append([row["network"], str(row["threads"]), *times, *(ratio(row, name) for name in own)])
    text = table(titles, lines)
    for index, name in enumerate(own):
        ratios = [line[len(line) - len(own) + index] for line in lines]
        if "-" not in ratios:
            text += ["", f"Geometric mean of best peer / {TITLES[name]}: {geometric_mean(ratios):.2f}."]
    return text


def cost_table(rows):
    titles = ["Network", "type", "nestrt load ms", "lowest peer's", "first run / median", "lowest peer's",
              "after warm_up()", "peak MB", "lowest peer's"]
    lines = []
    for row in rows:
        own = row["runtimes"]["nestrt"]
        peers = {name: entry for name, entry in row["runtimes"].items() if not is_own(name)}

        def lowest(value, form, peers=peers):
            if not peers:
                return "-"
            name = min(peers, key=lambda key: value(peers[key]))
            return f"{value(peers[name]):{form}} {TITLES[name]}"

        def first(entry):
            return entry["first_ms"] / entry["median_ms"]

        lines.append([row["network"], TYPES[row["type"]], f"{own['load_ms']:.2f}", lowest(lambda e: e["load_ms"], ".1f"),
                      f"{first(own):.2f}", lowest(first, ".2f"), f"{own['warm_first_ms'] / own['median_ms']:.2f}",
                      f"{own['peak_rss_mb']:.1f}",
                      lowest(lambda e: e["peak_rss_mb"], ".1f")])
    return table(titles, lines)


def versions(rows):
    found = {}
    for row in rows:
        for name, entry in row["runtimes"].items():
            if not is_own(name):
                found[name] = entry["version"]
    return ", ".join(f"{TITLES[name]} {found[name]}" for name in TITLES if name in found)


def introduction(report):
    rows = report["rows"]
    text = ["# Comparison with other runtimes", "",
            "`script/bench/networks --markdown` writes this page: nestrt and other runtimes on the same models, in the same run. Weights "
            "are generated and identical on every machine. f32 outputs must agree within 1e-4 of the largest value; 8-bit outputs are "
            "compared by the angle between them: the cosine must be at least 0.95."]
    if rows and all(row["network"] in DEPLOYED for row in rows):
        text = ["# Networks that people deploy", "",
                "`script/bench/networks --networks deployed --markdown` writes this page: detectors, segmentation, super-resolution, "
                "transformers, recurrent networks, audio front ends and the four models of MLPerf Tiny, in f32. The graphs are those of "
                "the papers (`script/lib/deployed_vision.py`, `deployed_sequences.py`), with batch normalization folded; the weights are "
                "generated. Outputs must agree within 1e-4 of the largest value. The peers run through their Python interfaces, which "
                "add some microseconds to a run; nestrt runs in `nestrt bench`."]
    if rows:
        text += ["", f"**Conditions**: {report['cpu']}{limit(report)}. {versions(rows)}. Times in milliseconds; medians of at least {report['rounds']} "
                     f"rounds "
                 "in which the runtimes alternate, pinned to the same cores. If best peer / nestrt is above 1, nestrt is faster. All "
                 "compute "
                 "f32 as f32: peers that would use bf16 are configured not to."]
    return text


def wrapped(lines):
    """Breaks paragraphs, but not tables and titles, at 120 columns."""
    for line in lines:
        if line.startswith(("|", "#")) or not line:
            yield line
        else:
            yield from textwrap.wrap(line, 120, break_long_words=False, break_on_hyphens=False)


def markdown(report):
    text = introduction(report)
    for type_name, title in (("f32", "In f32"), ("int8", "In 8 bits")):
        rows = [row for row in report["rows"] if row["type"] == type_name]
        if not rows:
            continue
        text += ["", f"## {title}", ""]
        if type_name == "int8":
            text += ["The QDQ model (uint8 activations, int8 weights per channel) for nestrt, OpenVINO and ONNX Runtime; ncnn and "
                     "LiteRT use the same weights and ranges in their own formats. \"nestrt s8\" is the f32 model compiled with `nestc "
                     "compile "
                     "--quantize s8`.", ""]
        text += latency_table(rows)
    rows = [row for row in report["rows"] if row["threads"] == min(row["threads"] for row in report["rows"])]
    if rows:
        text += ["", "## Load, first run, memory", "", f"With {rows[0]['threads']} thread{'s' if rows[0]['threads'] > 1 else ''}. "
                 "The peak of memory excludes what each process used before the model was opened, such as the Python interpreter and "
                 "the libraries of the peers.", "", *cost_table(rows)]
    if report["a53"]:
        kinds = [kind for kind in ("f32", "int8") if kind in report["a53"][0]]
        text += ["", "## On an estimated Cortex-A53", "", "nestrt alone, one thread, million cycles per inference, from an emulator "
                                                          "with a model of the core ([conditions](cortex-a53.md)).", "",
                 *table(["Network"] + ["f32" if kind == "f32" else "s8" for kind in kinds],
                        [[row["network"], *(f"{row[kind]:.0f}" for kind in kinds)] for row in report["a53"]])]
    return "\n".join(wrapped(text)) + "\n"
