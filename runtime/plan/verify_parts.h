// The parts of the structural verifier, in the order in which they run: each relies on those before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/plan/verify.h"

namespace nestrt::plan_verify {

// Bytes [begin, end) of a buffer.
struct Extent {
  uint32_t buffer = 0;
  uint64_t begin = 0;
  uint64_t end = 0;

  bool overlaps(const Extent& other) const {
    return buffer == other.buffer && std::max(begin, other.begin) < std::min(end, other.end);
  }
};

struct Context {
  const plan::Tables& plan;
  uint64_t data_bytes = 0;
  std::vector<Extent> extents = {};  // by tensor; filled by verify_tensors
};

Status verify_buffers(Context& context);
Status verify_tensors(Context& context);
// Inputs, outputs, preprocessing.
Status verify_interface(Context& context);
// Operands, order, and who writes what.
Status verify_dataflow(Context& context);
// Lifetimes and places in the arena.
Status verify_memory(Context& context);
// Branches and programs.
Status verify_programs(Context& context);

// Refuses operators whose output shares bytes with an input in another way than views.h describes. One operator.
Status verify_aliasing(const Context& context, uint32_t index);

// "tensor 3 'conv1_w'" and the like.
std::string tensor_name(const plan::Tables& plan, uint64_t index);
std::string operator_name(const plan::Tables& plan, uint64_t index);

}  // namespace nestrt::plan_verify
