// The parts of the structural verifier, in the order in which they run: each relies on those before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/status.h"
#include "runtime/core/text.h"
#include "runtime/plan/tables.h"
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
  const plan::Plan& plan;
  uint64_t data_bytes = 0;
  // Entries of vectors and bytes of strings that may still be looked at; an entry takes a byte of the tables at least.
  // A file that holds each of them once never runs out; one whose tables share a long one does, before the time spent
  // on it exceeds what the size of the file justifies.
  uint64_t budget = 0;
  std::vector<Extent> extents = {};  // by tensor; filled by verify_tensors

  template <typename T>
  bool charge(const flatbuffers::Vector<T>* vector) {
    return charge(items(vector).size());
  }
  bool charge(uint64_t entries) {
    if (entries > budget) return false;
    budget -= entries;
    return true;
  }
};

Status shared_vectors();  // the failure of charge()

Status verify_buffers(Context& context);
Status verify_tensors(Context& context);
// Inputs, outputs, preprocessing.
Status verify_interface(Context& context);
// Enumerations inside operators' attributes.
Status verify_attributes(Context& context);
// Operands, order, and who writes what.
Status verify_dataflow(Context& context);
// Lifetimes and places in the arena.
Status verify_memory(Context& context);
// Branches, programs and the region tree.
Status verify_programs(Context& context);
Status verify_regions(Context& context);

// Refuses operators whose output shares bytes with an input in another way than sharing.h describes. One operator.
Status verify_sharing(const Context& context, uint32_t index);

// "tensor 3 'conv1_w'" and the like.
std::string tensor_name(const plan::Plan& plan, uint64_t index);
std::string operator_name(const plan::Plan& plan, uint64_t index);

// For the result of a generated EnumName function, which is empty for values outside the enumeration.
inline bool known(const char* enum_name) { return *enum_name != '\0'; }

}  // namespace nestrt::plan_verify
