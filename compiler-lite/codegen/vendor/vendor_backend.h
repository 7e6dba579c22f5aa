// SPDX-License-Identifier: Apache-2.0
// The backend for programs from a vendor's compiler: one per Opaque operator, which represents a part of the model.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "compiler-lite/codegen/backend.h"

namespace nestrt::compiler {

// Indexed by ops::Opaque.part; without ranges.
using VendorPrograms = std::map<int32_t, UnitProgram>;

// `unit`: the kind of the vendor's units as the plug-in reports it (nestrt/vendor.h).
std::shared_ptr<Backend> make_vendor_backend(std::string unit, VendorPrograms programs);

}  // namespace nestrt::compiler
