// SPDX-License-Identifier: Apache-2.0
// Options of the execution provider, from the session's provider options or its configuration entries
// "ep.nestrt.NAME".
#pragma once

#include <cstddef>
#include <string>

#include "nestrt/result.h"
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {

struct ProviderOptions {
  std::string units = "cpu";    // in the syntax of open_units()
  int threads = 0;              // of the CPU; 0 uses all cores
  std::string target = "host";  // same as nestc compile --target
  std::string cache;            // folder for compiled plans; empty disables the cache
  size_t min_nodes = 3;         // smaller groups of nodes stay with ONNX Runtime
};

// Errors: kInvalidArgument for an unknown name or an invalid value.
Result<ProviderOptions> read_options(const Api& api, const Options* session);

}  // namespace nestrt::ort
