// PlanBuilder: small plans in memory, without the compiler.
//
//   PlanBuilder builder;
//   const int x = builder.input("x", {2, 3});
//   const int y = builder.output("y", {2, 3});
//   builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
//   const PlanFile file = builder.build();
//   auto plan = Plan::from_memory(file.bytes());
//
// Every tensor gets a buffer, every buffer of the arena a place of its own, and all operators form one branch
// unless branch() says otherwise. tables() may be changed before build(), to break a rule.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/plan.h"

namespace nestrt::test {

// A plan file in memory aligned to 64 bytes. Copies, so that a test may damage one and keep the other.
class PlanFile {
 public:
  explicit PlanFile(std::span<const std::byte> bytes);
  // A file of those tables and that data area.
  static PlanFile assemble(std::span<const std::byte> tables, std::span<const std::byte> data);
  PlanFile(const PlanFile& other) : PlanFile(other.bytes()) {}
  PlanFile& operator=(const PlanFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::span<std::byte> mutable_bytes() { return {data_, size_}; }
  // The FlatBuffers tables.
  std::span<std::byte> tables();
  // Makes damage elsewhere look intact, but for a signature; nothing does where the header says that the tables end
  // outside of the file.
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
  // In the arena, in blocks of 16 channels.
  int blocked(const std::string& name, const Shape& shape, DataType type = DataType::kF32);
  template <typename T>
  int constant(const std::string& name, const Shape& shape, const std::vector<T>& values,
               DataType type = DataType::kF32) {
    return constant_bytes(name, shape, type, std::as_bytes(std::span(values)));
  }
  // f32 weights of that shape, packed.
  int packed(const std::string& name, const Shape& shape, Packing packing, const std::vector<float>& values);
  // s8 weights of that shape, packed.
  int packed(const std::string& name, const Shape& shape, Packing packing, const std::vector<int8_t>& values);
  // Gives a tensor one exponent, or one for each channel of an axis. Returns the tensor.
  int quantize(int tensor, const std::vector<int8_t>& exponents, int axis = -1);
  // A tensor at `offset` bytes of another's buffer.
  int view(const std::string& name, int of, const Shape& shape, uint64_t offset = 0);
  void op(const std::string& name, ops::Attributes attributes, const std::vector<int>& inputs,
          const std::vector<int>& outputs);
  // The operators added since the last call become a branch of their own.
  void branch();

  // Everything that build() writes, complete but for what follows from sizes.
  plan::Tables& tables();
  // The file, valid unless tables() was changed.
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

// Attributes that tests need often.
ops::Unary unary(ops::UnaryKind kind);
ops::Binary binary(ops::BinaryKind kind);

}  // namespace nestrt::test
