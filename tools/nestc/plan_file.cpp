// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/plan_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "runtime/plan/format/format.h"

namespace nestrt::compiler {

bool is_plan_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream stream(path, std::ios::binary);
  char magic[sizeof plan_format::kMagic] = {};
  stream.read(magic, sizeof magic);
  return std::equal(std::begin(magic), std::end(magic), std::begin(plan_format::kMagic));
}

}  // namespace nestrt::compiler
