// The programs that a vendor's compiler has made: one for each operator Opaque, which stands for the part of the model
// that it was made of.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/bytes.h"

namespace nestrt::compiler {

// By ops::Opaque.part.
using VendorBlobs = std::map<int32_t, std::shared_ptr<const Bytes>>;

// `unit`: the kind of the vendor's units, as his plug-in gives it (nestrt/vendor.h).
std::shared_ptr<Backend> make_vendor_backend(std::string unit, VendorBlobs blobs);

}  // namespace nestrt::compiler
