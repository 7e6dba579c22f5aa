// SPDX-License-Identifier: Apache-2.0
// PlanBuilder: small plans in memory, without the compiler.
//
//   PlanBuilder builder;
//   const int x = builder.input("x", {2, 3});
//   const int y = builder.output("y", {2, 3});
//   builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
//   const PlanFile file = builder.build();
//   auto plan = Plan::from_memory(file.bytes());
//
// Every tensor gets a buffer, every buffer of the arena a separate place, and all operators form one branch unless
// branch() is called. To break a rule, change tables() before build().
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/plan.h"

namespace nestrt::test {

// A plan file in memory aligned to 64 bytes. Copyable, so that a test may damage one copy and keep the other.
class PlanFile {
 public:
  explicit PlanFile(std::span<const std::byte> bytes);
  // Assembles a file from tables and a data area.
  static PlanFile assemble(std::span<const std::byte> tables, std::span<const std::byte> data);
  PlanFile(const PlanFile& other) : PlanFile(other.bytes()) {}
  PlanFile& operator=(const PlanFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::span<std::byte> mutable_bytes() { return {data_, size_}; }
  // Returns the FlatBuffers tables.
  std::span<std::byte> tables();
  // Updates the digests so that they match damaged contents. Does not update a signature. Does nothing if the header
  // places the end of the tables outside the file.
  void write_digests();

 private:
  std::vector<std::byte> storage_;
  std::byte* data_;
  size_t size_;
};

class PlanBuilder {
 public:
  PlanBuilder();
  int input(const std::string& name, const Shape& shape, DataType type = DataType::kF32);
  int output(const std::string& name, const Shape& shape, DataType type = DataType::kF32);
  int arena(const std::string& name, const Shape& shape, DataType type = DataType::kF32);
  // Adds a tensor in the arena, in blocks of 16 channels.
  int blocked(const std::string& name, const Shape& shape, DataType type = DataType::kF32);
  template <typename T>
  int constant(const std::string& name, const Shape& shape, const std::vector<T>& values,
               DataType type = DataType::kF32) {
    return constant_bytes(name, shape, type, std::as_bytes(std::span(values)));
  }
  // Adds packed f32 weights of the given shape.
  int packed(const std::string& name, const Shape& shape, Packing packing, const std::vector<float>& values);
  // Adds packed s8 weights of the given shape.
  int packed(const std::string& name, const Shape& shape, Packing packing, const std::vector<int8_t>& values);
  // Gives a tensor one exponent, or one per channel of an axis. Returns the tensor.
  int quantize(int tensor, const std::vector<int8_t>& exponents, int axis = -1);
  // Adds a tensor at `offset` bytes of another's buffer.
  int view(const std::string& name, int of, const Shape& shape, uint64_t offset = 0);
  void op(const std::string& name, ops::Attributes attributes, const std::vector<int>& inputs,
          const std::vector<int>& outputs);
  // Combines the operators added since the last call into a branch.
  void branch();

  // Completes the plan and returns the tables that build() encodes.
  plan::Tables& tables();
  // Returns the file. It is valid unless the tables were changed.
  PlanFile build();

 private:
  int add_tensor(const std::string& name, const Shape& shape, DataType type, plan::BufferKind kind);
  int constant_bytes(const std::string& name, const Shape& shape, DataType type, std::span<const std::byte> bytes);
  void complete();
  void place_arena();

  plan::Tables plan_;
  std::vector<std::byte> data_;
  uint32_t first_of_branch_ = 0;
  bool complete_ = false;
};

// Return frequently used attributes.
ops::Unary unary(ops::UnaryKind kind);
ops::Binary binary(ops::BinaryKind kind);

}  // namespace nestrt::test
