// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/part_names.h"

namespace nestrt::compiler {

bool is_part_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
  constexpr size_t kMaxLength = 100;
  return !name.empty() && name.size() <= kMaxLength && name.front() != '.' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace nestrt::compiler
