// SPDX-License-Identifier: Apache-2.0
// The backend for a vendor's programs that are optional: the plan also contains programs for the CPU and other units,
// and schedules choose by cost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/vendor/offload.h"

namespace nestrt::compiler {

// Receives each branch that gets no vendor program because the vendor's command failed.
using VendorFailure = std::function<void(const std::string& branch, const Status& why)>;

// Creates a backend that accepts branches formed by the other backends: those that pay off according to `capability`,
// or else all that can be written as ONNX. It exports each branch (quantized branches with integers) and runs the
// command on it. If the command fails, the branch gets no program, and `failure` is called unless it is empty. A
// command that cannot be started or takes too long is not run again.
std::shared_ptr<Backend> make_optional_vendor_backend(VendorOptions options, std::optional<Capability> capability,
                                                      VendorFailure failure);

}  // namespace nestrt::compiler
