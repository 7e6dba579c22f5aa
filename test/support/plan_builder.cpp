#include "test/support/plan_builder.h"

#include <algorithm>

#include "kernels/common/packing.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/plan/digest.h"
#include "runtime/plan/format.h"

namespace nestrt::test {

using plan_format::Header;

PlanBytes::PlanBytes(std::span<const std::byte> bytes) : storage_(bytes.size() + 63), size_(bytes.size()) {
  const auto misalignment = reinterpret_cast<uintptr_t>(storage_.data()) % 64;
  data_ = storage_.data() + (misalignment == 0 ? 0 : 64 - misalignment);
  std::copy(bytes.begin(), bytes.end(), data_);
}

std::span<std::byte> PlanBytes::tables() {
  Header header;
  std::memcpy(&header, data_, sizeof header);
  return mutable_bytes().subspan(sizeof header, header.tables_bytes);
}

void PlanBytes::write_digests() { plan_format::write_digests(mutable_bytes()); }

PlanBuilder::PlanBuilder() {
  plan_.producer = "test";
  plan_.model_name = "test";
}

int PlanBuilder::input(const std::string& name, const Shape& shape, DataType type) {
  const int tensor = add_tensor(name, shape, type, plan::BufferKind::input);
  auto input = std::make_unique<plan::InputT>();
  input->tensor = static_cast<uint32_t>(tensor);
  plan_.inputs.push_back(std::move(input));
  return tensor;
}

int PlanBuilder::output(const std::string& name, const Shape& shape, DataType type) {
  const int tensor = add_tensor(name, shape, type, plan::BufferKind::output);
  plan_.outputs.push_back(static_cast<uint32_t>(tensor));
  return tensor;
}

int PlanBuilder::arena(const std::string& name, const Shape& shape, DataType type) {
  return add_tensor(name, shape, type, plan::BufferKind::arena);
}

int PlanBuilder::blocked(const std::string& name, const Shape& shape, DataType type) {
  const int tensor = arena(name, shape, type);
  plan_.tensors.back()->layout = plan::Layout::blocked16;
  plan_.buffers.back()->size = static_cast<uint64_t>(storage_bytes(type, shape, Layout::kBlocked16));
  return tensor;
}

int PlanBuilder::quantize(int tensor, const std::vector<int8_t>& exponents, int axis) {
  auto quantization = std::make_unique<plan::QuantizationT>();
  quantization->exponents = exponents;
  quantization->axis = axis;
  plan_.tensors[static_cast<size_t>(tensor)]->quantization = std::move(quantization);
  return tensor;
}

int PlanBuilder::packed(const std::string& name, const Shape& shape, plan::Packing packing,
                        const std::vector<float>& values) {
  std::vector<float> elements(static_cast<size_t>(kernels::packed_bytes(packing, shape)) / sizeof(float));
  kernels::pack_weights(packing, shape, values.data(), elements.data());
  const int tensor = constant(name, shape, elements);
  plan_.tensors.back()->packing = packing;
  return tensor;
}

int PlanBuilder::packed(const std::string& name, const Shape& shape, plan::Packing packing,
                        const std::vector<int8_t>& values) {
  std::vector<int8_t> elements(static_cast<size_t>(kernels::packed_bytes(packing, shape)));
  kernels::pack_weights(packing, shape, values.data(), elements.data());
  const int tensor = constant(name, shape, elements, DataType::kS8);
  plan_.tensors.back()->packing = packing;
  return tensor;
}

int PlanBuilder::constant_bytes(const std::string& name, const Shape& shape, DataType type,
                                std::span<const std::byte> bytes) {
  const int tensor = add_tensor(name, shape, type, plan::BufferKind::constant);
  plan_.buffers.back()->size = bytes.size();
  plan_.buffers.back()->data_offset = data_.size();
  data_.insert(data_.end(), bytes.begin(), bytes.end());
  data_.resize(align_up(data_.size(), 64));
  return tensor;
}

int PlanBuilder::add_tensor(const std::string& name, const Shape& shape, DataType type, plan::BufferKind kind) {
  auto buffer = std::make_unique<plan::BufferT>();
  buffer->kind = kind;
  buffer->size = static_cast<uint64_t>(storage_bytes(type, shape, Layout::kPlain));
  plan_.buffers.push_back(std::move(buffer));
  auto tensor = std::make_unique<plan::TensorT>();
  tensor->name = name;
  tensor->type = static_cast<plan::DataType>(type);
  tensor->shape.assign(shape.begin(), shape.end());
  tensor->buffer = static_cast<uint32_t>(plan_.buffers.size() - 1);
  plan_.tensors.push_back(std::move(tensor));
  return static_cast<int>(plan_.tensors.size() - 1);
}

int PlanBuilder::view(const std::string& name, int of, const Shape& shape, uint64_t offset) {
  auto tensor = std::make_unique<plan::TensorT>(*plan_.tensors[static_cast<size_t>(of)]);
  tensor->name = name;
  tensor->shape.assign(shape.begin(), shape.end());
  tensor->offset += offset;
  plan_.tensors.push_back(std::move(tensor));
  return static_cast<int>(plan_.tensors.size() - 1);
}

void PlanBuilder::add_operator(const std::string& name, plan::AttributesUnion attributes,
                               const std::vector<int>& inputs, const std::vector<int>& outputs) {
  auto op = std::make_unique<plan::OperatorT>();
  op->name = name;
  op->attributes = std::move(attributes);
  op->inputs.assign(inputs.begin(), inputs.end());
  op->outputs.assign(outputs.begin(), outputs.end());
  plan_.operators.push_back(std::move(op));
}

void PlanBuilder::branch() {
  auto branch = std::make_unique<plan::BranchT>();
  for (; first_of_branch_ < plan_.operators.size(); ++first_of_branch_) branch->operators.push_back(first_of_branch_);
  auto program = std::make_unique<plan::ProgramT>();
  program->unit = "cpu";
  branch->programs.push_back(std::move(program));
  plan_.branches.push_back(std::move(branch));
}

// Every buffer has a place of its own and lives from its first to its last use.
void PlanBuilder::place_arena() {
  auto memory = std::make_unique<plan::MemoryPlanT>();
  std::vector<bool> seen(plan_.buffers.size(), false);
  for (uint32_t index = 0; index < plan_.operators.size(); ++index) {
    for (const auto* operands : {&plan_.operators[index]->inputs, &plan_.operators[index]->outputs}) {
      for (int32_t tensor : *operands) {
        if (tensor < 0) continue;
        const uint32_t at = plan_.tensors[static_cast<size_t>(tensor)]->buffer;
        if (!seen[at]) plan_.buffers[at]->first_use = index;
        plan_.buffers[at]->last_use = index;
        seen[at] = true;
      }
    }
  }
  for (const auto& buffer : plan_.buffers) {
    const bool in_arena = buffer->kind == plan::BufferKind::arena;
    memory->offsets.push_back(in_arena ? memory->arena_bytes : 0);
    if (in_arena) memory->arena_bytes += align_up(buffer->size, 64);
  }
  plan_.memory_plans.push_back(std::move(memory));
}

void PlanBuilder::add_regions() {
  auto root = std::make_unique<plan::RegionT>();
  root->kind = plan::RegionKind::series;
  for (uint32_t index = 0; index < plan_.branches.size(); ++index) {
    auto leaf = std::make_unique<plan::RegionT>();
    leaf->branch = index;
    plan_.regions.push_back(std::move(leaf));
    root->children.push_back(index);
  }
  plan_.regions.push_back(std::move(root));
}

void PlanBuilder::complete() {
  if (complete_) return;
  complete_ = true;
  if (first_of_branch_ < plan_.operators.size()) branch();
  place_arena();
  add_regions();
}

plan::PlanT& PlanBuilder::tables() {
  complete();
  return plan_;
}

PlanBytes PlanBuilder::build() {
  complete();
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(plan::Plan::Pack(builder, &plan_), plan::PlanIdentifier());
  Header header{};
  std::memcpy(header.magic, plan_format::kMagic, sizeof header.magic);
  header.version_major = plan_format::kVersionMajor;
  header.version_minor = plan_format::kVersionMinor;
  header.tables_bytes = builder.GetSize();
  header.data_offset = align_up(sizeof header + header.tables_bytes, plan_format::kDataAlignment);
  header.data_bytes = data_.size();
  std::vector<std::byte> file(header.data_offset + data_.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, builder.GetBufferPointer(), builder.GetSize());
  if (!data_.empty()) std::memcpy(file.data() + header.data_offset, data_.data(), data_.size());
  PlanBytes bytes(file);
  bytes.write_digests();
  return bytes;
}

plan::UnaryT unary(plan::UnaryKind kind) {
  plan::UnaryT attributes;
  attributes.kind = kind;
  return attributes;
}

plan::BinaryT binary(plan::BinaryKind kind) {
  plan::BinaryT attributes;
  attributes.kind = kind;
  return attributes;
}

}  // namespace nestrt::test
