// SPDX-License-Identifier: Apache-2.0
// Plugin: a vendor's library (nestrt/vendor.h), loaded from a given file. It is never unloaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/vendor/plugin_options.h"
#include "nestrt/result.h"
#include "nestrt/vendor.h"

namespace nestrt::vendor {

struct Plugin {
  std::string file;  // name in messages
  // All functions of the table's version are set, except that allocate_shared() and free_shared() may both be null.
  // Functions of later versions are null.
  nestrt_vendor_functions functions = {};
  std::vector<PluginOption> options = {};  // of the devices that are opened
};

// Loads a plug-in. A `path` without '/' is relative to the current folder; no search path is used. Errors: kNotFound;
// kUnavailable if it cannot be loaded; kIncompatible if it is not a plug-in or uses another interface.
Result<std::shared_ptr<const Plugin>> load_plugin(const std::string& path, std::vector<PluginOption> options = {});

// Uses the function table of a plug-in in this process. Errors: kIncompatible.
Result<std::shared_ptr<const Plugin>> make_plugin(std::string file, const nestrt_vendor_functions* functions,
                                                  std::vector<PluginOption> options = {});

}  // namespace nestrt::vendor
