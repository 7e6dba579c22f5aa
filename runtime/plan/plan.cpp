// SPDX-License-Identifier: Apache-2.0
#include "nestrt/plan.h"

#include <array>
#include <cstring>

#include "runtime/plan/format/format.h"
#include "runtime/plan/plan_state.h"
#include "runtime/text/hexadecimal.h"

namespace nestrt {

Plan::Plan(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Plan::~Plan() = default;

std::span<const TensorInfo> Plan::inputs() const { return state_->inputs; }
std::span<const TensorInfo> Plan::outputs() const { return state_->outputs; }
std::span<const std::shared_ptr<const Plan>> Plan::shapes() const { return state_->shapes; }
uint32_t Plan::shape_index() const { return state_->shape_index; }
const plan::Tables& Plan::tables() const { return *state_->tables; }
std::span<const std::byte> Plan::bytes() const { return state_->bytes; }
const std::optional<PublicKey>& Plan::signer() const { return state_->signer; }

const Preprocessing* Plan::preprocessing(size_t input) const {
  const auto& all = state_->preprocessing;
  return input < all.size() && all[input] ? &*all[input] : nullptr;
}

std::span<const std::byte> Plan::constant(uint32_t buffer) const {
  const auto& buffers = tables().buffers;
  if (buffer >= buffers.size() || buffers[buffer].kind != plan::BufferKind::kConstant) return {};
  return state_->data.subspan(buffers[buffer].data_offset, buffers[buffer].size);
}

std::string Plan::digest() const {
  plan_format::Header header;
  std::memcpy(&header, bytes().data(), sizeof header);
  std::array<uint8_t, sizeof header.content_digest> bytes{};  // most significant first
  size_t at = 0;
  for (uint64_t word : {header.content_digest[1], header.content_digest[0]})
    for (int shift = 56; shift >= 0; shift -= 8) bytes[at++] = static_cast<uint8_t>(word >> shift);
  return to_hexadecimal(bytes);
}

}  // namespace nestrt
