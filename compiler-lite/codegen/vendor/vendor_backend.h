// The programs that a vendor's compiler has made: one for each operator Opaque, which stands for the part of the model
// that it was made of.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "compiler-lite/codegen/backend.h"

namespace nestrt::compiler {

// By ops::Opaque.part, programs for its inputs and outputs: without ranges.
using VendorPrograms = std::map<int32_t, UnitProgram>;

// `unit`: the kind of the vendor's units, as his plug-in gives it (nestrt/vendor.h).
std::shared_ptr<Backend> make_vendor_backend(std::string unit, VendorPrograms programs);

}  // namespace nestrt::compiler
