// SPDX-License-Identifier: Apache-2.0
// Names of element types in manifests and capability files.
#pragma once

#include <optional>
#include <string_view>

#include "nestrt/data_type.h"

namespace nestrt::compiler {

inline std::optional<DataType> type_called(std::string_view text) {
  for (const DataType type :
       {DataType::kF32, DataType::kS8, DataType::kU8, DataType::kS32, DataType::kS64, DataType::kBool})
    if (name(type) == text) return type;
  return std::nullopt;
}

}  // namespace nestrt::compiler
