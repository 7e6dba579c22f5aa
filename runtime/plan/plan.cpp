#include "nestrt/plan.h"

#include <array>
#include <cstring>

#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/format/format.h"
#include "runtime/text/hexadecimal.h"

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
  std::array<uint8_t, sizeof header.content_digest> bytes{};  // most significant first
  size_t at = 0;
  for (uint64_t word : {header.content_digest[1], header.content_digest[0]})
    for (int shift = 56; shift >= 0; shift -= 8) bytes[at++] = static_cast<uint8_t>(word >> shift);
  return to_hexadecimal(bytes);
}

}  // namespace nestrt
