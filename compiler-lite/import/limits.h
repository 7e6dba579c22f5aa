// What a model may ask of the importer.
#pragma once

#include <cstdint>

#include "compiler-lite/graph/folding_limits.h"
#include "nestrt/status.h"

namespace nestrt::compiler {

struct ImportLimits {
  int64_t file_bytes = (int64_t{1} << 31) - 1;  // protobuf's own limit
  int64_t nodes = 100'000;                      // subgraphs included
  int64_t fields = 4'000'000;                   // in the protobuf encoding: bounds the memory of parsing
  int64_t tensor_bytes = int64_t{1} << 31;      // for one tensor, constant or not
  int64_t constant_bytes = int64_t{4} << 30;    // for all constants of the file
  int64_t folded_bytes = int64_t{1} << 30;      // for all computed ones, beyond the bytes of the file's
  int64_t folding_steps = kFoldingSteps;        // spent on those, beyond kFoldingStepsPerByte of the file's
};

// What a model with more nodes than that is refused with.
Status too_many_nodes(const ImportLimits& limits);

}  // namespace nestrt::compiler
