// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/reconstruct_options.h"

#include <fmt/core.h>

#include <iostream>

#include "tools/support/text/progress.h"

namespace nestrt::compiler {
void ReconstructFlags::add_to(tools::Command command) {
  const tools::Option wanted =
      command
          .add_flag("--reconstruct", wanted_,
                    "choose integer weights and biases layer by layer so that the outputs of each layer match f32 on "
                    "the calibration samples (seconds to minutes)")
          .needs("--quantize");
  command
      .add_option("--reconstruct-seed", seed_,
                  "chooses the positions in the samples; the same seed gives the same plan")
      .needs(wanted)
      .show_default();
}

Status ReconstructFlags::check(const QuantizeFlags& quantize) const {
  if (!wanted_ || !quantize.data_is_profile()) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("--reconstruct needs samples, and --calibrate {} is a profile: calibrate with a folder or "
                            "FILE.npy",
                            quantize.data()));
}

Status ReconstructFlags::apply(const std::string& model, CompileOptions& compile, const QuantizeFlags& quantize,
                               const NoiseSource& source) const {
  if (!wanted_) return {};
  ReconstructionOptions options;
  options.samples = quantize.samples_of(quantize.data());
  options.samples.limit = quantize.limit();
  options.seed = seed_;
  tools::ProgressBars bars;
  options.progress = [&bars](size_t done, size_t total) { bars.show("reconstructing layers", done, total); };
  NESTRT_ASSIGN_OR_RETURN(const ReconstructionGain gain, reconstruct_if_better(model, compile, source, options));
  bars.clear();
  std::cout << fmt::format("reconstruction of {} layers: {:.1f} dB instead of {:.1f} dB{}\n", gain.num_layers,
                           gain.after, gain.before, gain.is_used() ? "" : "; not used");
  return {};
}

}  // namespace nestrt::compiler
