// SPDX-License-Identifier: Apache-2.0
// Options of the execution provider: provider options of a session, or its configuration entries "ep.nestrt.NAME".
#pragma once

#include <cstddef>
#include <string>

#include "nestrt/result.h"
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {

struct ProviderOptions {
  std::string units = "cpu";    // as open_units() accepts it
  int threads = 0;              // of the CPU; 0: all cores
  std::string target = "host";  // as nestc compile --target
  std::string cache;            // folder that keeps plans; empty: none
  size_t min_nodes = 3;         // smaller groups of nodes stay with ONNX Runtime
};

// Errors: kInvalidArgument for an unknown name or an invalid value.
Result<ProviderOptions> read_options(const Api& api, const Options* session);

}  // namespace nestrt::ort
