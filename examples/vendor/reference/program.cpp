// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <cstring>
#include <type_traits>

#include "check.h"

namespace reference {
namespace {

constexpr uint32_t kMagic = 0x314e5652;  // "RVN1"
constexpr uint32_t kVersion = 2;
constexpr uint64_t kHeaderBytes = 24;
constexpr uint32_t kMaxItems = 1u << 20;

uint64_t hash(const char* bytes, uint64_t size) {
  uint64_t value = 14695981039346656037u;
  for (uint64_t i = 0; i < size; ++i) value = (value ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
  return value;
}

class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(static_cast<uint32_t>(values.size()));
    for (const T& value : values) put(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  Reader(const char* bytes, uint64_t size) : next_(bytes), left_(size) {}

  template <typename T>
  void get(T& value) {
    if (left_ < sizeof value) throw BadProgram("the program is truncated");
    std::memcpy(&value, next_, sizeof value);
    next_ += sizeof value;
    left_ -= sizeof value;
  }
  uint32_t get_count(uint64_t item_bytes) {
    uint32_t count = 0;
    get(count);
    if (count > left_ / item_bytes) throw BadProgram("a list is longer than the program");
    return count;
  }
  template <typename T>
  void get(std::vector<T>& values) {
    values.resize(get_count(sizeof(T)));
    for (T& value : values) get(value);
  }
  bool is_at_end() const { return left_ == 0; }

 private:
  const char* next_;
  uint64_t left_;
};

// Visits the fields of an operator. Reading and writing share this function, so that they cannot differ.
template <typename Stream, typename Op>
void visit(Stream&& each, Op& op) {
  each(op.kind), each(op.inputs), each(op.output), each(op.window), each(op.groups), each(op.counts_padding);
  each(op.axis), each(op.size), each(op.values), each(op.weights), each(op.scales), each(op.bias);
}

Program read_body(Reader reader) {
  Program program;
  program.tensors.resize(reader.get_count(4));
  for (Tensor& tensor : program.tensors) reader.get(tensor.shape), reader.get(tensor.is_int8);
  reader.get(program.inputs);
  reader.get(program.outputs);
  const uint32_t count = reader.get_count(4);
  if (count > kMaxItems || program.tensors.size() > kMaxItems) throw BadProgram("too many operators or tensors");
  program.operators.resize(count);
  for (Operator& op : program.operators) visit([&](auto& field) { reader.get(field); }, op);
  if (!reader.is_at_end()) throw BadProgram("bytes follow the program");
  return program;
}

}  // namespace

std::string write_program(const Program& program) {
  Writer body;
  body.put(static_cast<uint32_t>(program.tensors.size()));
  for (const Tensor& tensor : program.tensors) body.put(tensor.shape), body.put(tensor.is_int8);
  body.put(program.inputs);
  body.put(program.outputs);
  body.put(static_cast<uint32_t>(program.operators.size()));
  for (const Operator& op : program.operators) visit([&](const auto& field) { body.put(field); }, op);
  Writer file;
  file.put(kMagic);
  file.put(kVersion);
  file.put(static_cast<uint64_t>(kHeaderBytes + body.bytes().size()));
  file.put(hash(body.bytes().data(), body.bytes().size()));
  return file.bytes() + body.bytes();
}

Program read_program(const void* bytes, uint64_t size) {
  const auto* const start = static_cast<const char*>(bytes);
  Reader header(start, size);
  uint32_t magic = 0, version = 0;
  uint64_t stated = 0, digest = 0;
  header.get(magic), header.get(version), header.get(stated), header.get(digest);
  if (magic != kMagic || version != kVersion) throw BadProgram("the file is not a program of the reference compiler");
  if (stated != size) throw BadProgram("the size of the program differs from its header");
  if (hash(start + kHeaderBytes, size - kHeaderBytes) != digest) throw BadProgram("the program is damaged");
  Program program = read_body({start + kHeaderBytes, size - kHeaderBytes});
  check_program(program);
  return program;
}

}  // namespace reference
