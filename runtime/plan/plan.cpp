#include "nestrt/plan.h"

#include <cstring>

#include "nestrt/plan_tables.h"
#include "runtime/plan/format.h"

namespace nestrt {

Plan::~Plan() = default;

const Preprocessing* Plan::preprocessing(size_t input) const {
  return input < preprocessing_.size() && preprocessing_[input] ? &*preprocessing_[input] : nullptr;
}

std::span<const std::byte> Plan::constant(uint32_t buffer) const {
  const auto& buffers = tables_->buffers;
  if (buffer >= buffers.size() || buffers[buffer].kind != plan::BufferKind::kConstant) return {};
  return data_.subspan(buffers[buffer].data_offset, buffers[buffer].size);
}

std::string Plan::digest() const {
  plan_format::Header header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (uint64_t word : {header.content_digest[1], header.content_digest[0]})
    for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[word >> shift & 15];
  return digits;
}

}  // namespace nestrt
