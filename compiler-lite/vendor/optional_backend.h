// A vendor's programs beside those of the CPU and of other units: schedules choose by cost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/vendor/offload.h"

namespace nestrt::compiler {

// Told of each branch that stays without a program of the vendor's because his command has failed.
using VendorFailure = std::function<void(const std::string& branch, const Status& why)>;

// Takes branches as the other backends have cut them: those that are worth it by `capability`, or all that can be
// written as ONNX. Each is exported, quantized ones with their integers, and the command is run on it; where it fails,
// the branch goes without, and `failure`, which may be empty, is told. A command that cannot be started or takes too
// long is not run again.
std::shared_ptr<Backend> make_optional_vendor_backend(VendorOptions options, std::optional<Capability> capability,
                                                      VendorFailure failure);

}  // namespace nestrt::compiler
