"""Plans for the described ZCU102, for scripts that show what schedules gain there."""

from programs import BIN, run
from random_npy import only_input, write_calibration

CALIBRATION_SAMPLES = 2
RANGE = (-128.0, 128.0)


def compile_for_board(model, work):
    """A model quantized with random inputs, as costs do not depend on values, in the folder `work`."""
    plan, samples = work / "model.nest", work / "samples.npy"
    run(BIN / "nestc", "compile", model, "-o", plan)
    _, shape = only_input(BIN / "nestrt", plan, work / "info.json")
    write_calibration(samples, shape, CALIBRATION_SAMPLES, *RANGE)
    run(BIN / "nestc", "compile", model, "-o", plan, "--quantize", "s8", "--calibrate", samples, "--target", "zcu102")
    return plan
