// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/resources.h"

#include <string>

#include "runtime/platform/own_folder.h"

namespace nestrt::tools {

namespace fs = std::filesystem;

Result<fs::path> find_resource(std::string_view name, std::string_view source_folder, std::string_view file) {
  std::error_code failure;
  const fs::path own = own_folder(), installed = fs::path("share/nestrt") / name;
  for (fs::path folder = own; folder.has_relative_path(); folder = folder.parent_path()) {
    for (const fs::path& place : {installed, fs::path(source_folder)})
      if (fs::exists(folder / place / file, failure)) return folder / place;
  }
  return Status(Code::kUnavailable, std::string(file) + " is missing: looked for " + installed.string() + " above " +
                                        own.string() + "; install nestrt completely");
}

}  // namespace nestrt::tools
