// Plugin: a vendor's library (nestrt/vendor.h), loaded from a file that somebody has named. Stays loaded.
#pragma once

#include <memory>
#include <string>

#include "nestrt/result.h"
#include "nestrt/vendor.h"

namespace nestrt::vendor {

struct Plugin {
  std::string file;                                    // as messages name it
  const nestrt_vendor_functions* functions = nullptr;  // all there, allocate_shared() and free_shared() both or neither
};

// `path` with a '/' is taken as it is, one without from the current folder: nothing is searched for. Errors: kNotFound,
// kUnavailable where it cannot be loaded, kIncompatible where it is no plug-in, or one for another interface.
Result<std::shared_ptr<const Plugin>> load_plugin(const std::string& path);

// The table of a plug-in that is in the process already. Errors: kIncompatible.
Result<std::shared_ptr<const Plugin>> make_plugin(std::string file, const nestrt_vendor_functions* functions);

}  // namespace nestrt::vendor
