// SPDX-License-Identifier: Apache-2.0
// A vendor's programs in addition to those of the CPU and of other units. Schedules choose by cost.
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

// Accepts branches as the other backends formed them: those that pay off according to `capability`, or all that can be
// written as ONNX. Exports each branch, quantized ones with integers, and runs the command on it. If the command fails,
// the branch gets no program, and `failure`, which may be empty, is called. A command that cannot be started or takes
// too long is not run again.
std::shared_ptr<Backend> make_optional_vendor_backend(VendorOptions options, std::optional<Capability> capability,
                                                      VendorFailure failure);

}  // namespace nestrt::compiler
