// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/plan_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/plan/format/digest.h"
#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/format.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::test {

using plan_format::Header;

PlanFile::PlanFile(std::span<const std::byte> bytes) : storage_(bytes.size() + 63), size_(bytes.size()) {
  const auto misalignment = reinterpret_cast<uintptr_t>(storage_.data()) % 64;
  data_ = storage_.data() + (misalignment == 0 ? 0 : 64 - misalignment);
  std::copy(bytes.begin(), bytes.end(), data_);
}

std::span<std::byte> PlanFile::tables() {
  Header header;
  std::memcpy(&header, data_, sizeof header);
  return mutable_bytes().subspan(sizeof header, header.tables_bytes);
}

void PlanFile::write_digests() {
  Header header;
  std::memcpy(&header, data_, sizeof header);
  if (header.data_offset < sizeof header || header.data_offset > size_) return;
  const uint64_t signed_bytes = header.data_offset + std::min<uint64_t>(header.data_bytes, size_ - header.data_offset);
  plan_format::write_digests(mutable_bytes().first(signed_bytes));
}

PlanFile PlanFile::assemble(std::span<const std::byte> tables, std::span<const std::byte> data) {
  Header header{};
  std::memcpy(header.magic, plan_format::kMagic, sizeof header.magic);
  header.version_major = plan_format::kVersionMajor;
  header.version_minor = plan_format::kVersionMinor;
  header.tables_bytes = tables.size();
  header.data_offset = align_up(sizeof header + header.tables_bytes, plan_format::kDataAlignment);
  header.data_bytes = data.size();
  std::vector<std::byte> file(header.data_offset + data.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::copy(tables.begin(), tables.end(), file.begin() + sizeof header);
  std::copy(data.begin(), data.end(), file.begin() + static_cast<ptrdiff_t>(header.data_offset));
  PlanFile bytes(file);
  bytes.write_digests();
  return bytes;
}

PlanBuilder::PlanBuilder() {
  plan_.producer = "test";
  plan_.model_name = "test";
}

int PlanBuilder::input(const std::string& name, const Shape& shape, DataType type) {
  const int tensor = add_tensor(name, shape, type, plan::BufferKind::kInput);
  plan_.inputs.push_back({static_cast<uint32_t>(tensor), std::nullopt});
  return tensor;
}

int PlanBuilder::output(const std::string& name, const Shape& shape, DataType type) {
  const int tensor = add_tensor(name, shape, type, plan::BufferKind::kOutput);
  plan_.outputs.push_back(static_cast<uint32_t>(tensor));
  return tensor;
}

int PlanBuilder::arena(const std::string& name, const Shape& shape, DataType type) {
  return add_tensor(name, shape, type, plan::BufferKind::kArena);
}

int PlanBuilder::blocked(const std::string& name, const Shape& shape, DataType type) {
  const int tensor = arena(name, shape, type);
  plan_.tensors.back().layout = Layout::kBlocked16;
  plan_.buffers.back().size = static_cast<uint64_t>(storage_bytes(type, shape, Layout::kBlocked16));
  return tensor;
}

int PlanBuilder::quantize(int tensor, const std::vector<int8_t>& exponents, int axis) {
  plan::Quantization& quantization = plan_.tensors[static_cast<size_t>(tensor)].quantization.emplace();
  quantization.exponents = exponents;
  quantization.axis = axis;
  return tensor;
}

int PlanBuilder::constant_bytes(const std::string& name, const Shape& shape, DataType type,
                                std::span<const std::byte> bytes) {
  const int tensor = add_tensor(name, shape, type, plan::BufferKind::kConstant);
  plan_.buffers.back().size = bytes.size();
  plan_.buffers.back().data_offset = data_.size();
  data_.insert(data_.end(), bytes.begin(), bytes.end());
  data_.resize(align_up(data_.size(), 64));
  return tensor;
}

int PlanBuilder::add_tensor(const std::string& name, const Shape& shape, DataType type, plan::BufferKind kind) {
  plan::Buffer& buffer = plan_.buffers.emplace_back();
  buffer.kind = kind;
  buffer.size = static_cast<uint64_t>(storage_bytes(type, shape, Layout::kPlain));
  plan::Tensor& tensor = plan_.tensors.emplace_back();
  tensor.name = name;
  tensor.type = type;
  tensor.shape = shape;
  tensor.buffer = static_cast<uint32_t>(plan_.buffers.size() - 1);
  return static_cast<int>(plan_.tensors.size() - 1);
}

int PlanBuilder::view(const std::string& name, int of, const Shape& shape, uint64_t offset) {
  plan::Tensor tensor = plan_.tensors[static_cast<size_t>(of)];
  tensor.name = name;
  tensor.shape = shape;
  tensor.offset += offset;
  plan_.tensors.push_back(std::move(tensor));
  return static_cast<int>(plan_.tensors.size() - 1);
}

void PlanBuilder::op(const std::string& name, ops::Attributes attributes, const std::vector<int>& inputs,
                     const std::vector<int>& outputs) {
  plan::Operator& added = plan_.operators.emplace_back();
  added.name = name;
  added.attributes = std::move(attributes);
  added.inputs.assign(inputs.begin(), inputs.end());
  added.outputs.assign(outputs.begin(), outputs.end());
}

void PlanBuilder::branch() {
  plan::Branch& branch = plan_.branches.emplace_back();
  for (; first_of_branch_ < plan_.operators.size(); ++first_of_branch_) branch.operators.push_back(first_of_branch_);
  branch.programs.emplace_back().unit = "cpu";
}

// Gives every buffer a separate place, with a lifetime from its first to its last use.
void PlanBuilder::place_arena() {
  plan::MemoryPlan& memory = plan_.memory_plans.emplace_back();
  std::vector<bool> seen(plan_.buffers.size(), false);
  for (uint32_t index = 0; index < plan_.operators.size(); ++index) {
    for (const auto* operands : {&plan_.operators[index].inputs, &plan_.operators[index].outputs}) {
      for (int32_t tensor : *operands) {
        if (tensor < 0) continue;
        const uint32_t at = plan_.tensors[static_cast<size_t>(tensor)].buffer;
        if (!seen[at]) plan_.buffers[at].first_use = index;
        plan_.buffers[at].last_use = index;
        seen[at] = true;
      }
    }
  }
  for (const plan::Buffer& buffer : plan_.buffers) {
    const bool in_arena = buffer.kind == plan::BufferKind::kArena;
    memory.offsets.push_back(in_arena ? memory.arena_bytes : 0);
    if (in_arena) memory.arena_bytes += align_up(buffer.size, 64);
  }
}

void PlanBuilder::complete() {
  if (complete_) return;
  complete_ = true;
  if (first_of_branch_ < plan_.operators.size()) branch();
  place_arena();
}

plan::Tables& PlanBuilder::tables() {
  complete();
  return plan_;
}

PlanFile PlanBuilder::build() {
  complete();
  return PlanFile::assemble(encode_tables(plan_), data_);
}

ops::Unary unary(ops::UnaryKind kind) { return {.kind = kind}; }

ops::Binary binary(ops::BinaryKind kind) {
  ops::Binary attributes;
  attributes.kind = kind;
  return attributes;
}

}  // namespace nestrt::test
