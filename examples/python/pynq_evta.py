#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classifies an image on CPU and EVTA under PYNQ: pynq_evta.py [--bitstream vta.bit] PLAN IMAGE

PYNQ loads the bitstream and sets the clock and the widths of the ports, which it reads from vta.hwh next to vta.bit.
nestrt then uses the registers through /dev/mem and the memory of u-dma-buf. Run it as root.

--bitstream  the bitstream to load; without it, the one that is loaded already is used
--device     registers and memory of the accelerator; default: those of VTA's build, and the first u-dma-buf device
"""

import argparse
import sys

import nestrt


def load(bitstream: str) -> None:
    """Loads a bitstream with its clock and port widths, as described in the .hwh file next to it."""
    import pynq

    pynq.Overlay(bitstream)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan")
    parser.add_argument("image")
    parser.add_argument("--bitstream")
    parser.add_argument("--units", default="cpu,evta:uio", help="default: %(default)s")
    parser.add_argument("--device", default="mem:0xa0000000", help="default: %(default)s")
    options = parser.parse_args()
    if options.bitstream:
        load(options.bitstream)
    try:
        plan = nestrt.Plan(options.plan)
        units = nestrt.Units(options.units, plan=plan, device=options.device if "uio" in options.units else None)
        session = nestrt.Session(plan, units=units)
        scores = next(iter(session.run({plan.inputs[0].name: plan.preprocess(options.image)}).values()))
    except nestrt.Error as error:
        print(f"{sys.argv[0]}: {error}", file=sys.stderr)
        return 2
    print(f"class {scores.argmax()}, {scores.max():.3f}, on {', '.join(unit['name'] for unit in units.info)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
