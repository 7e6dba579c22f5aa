// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/vector_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace nestrt::evta {
namespace {

constexpr std::string_view kMagic = "VTAV";
constexpr uint32_t kVersion = 1;
constexpr size_t kInstructionBytes = 16;

// Reads values from the front. Records the first failure and returns zeros and empty spans from then on.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> take(uint64_t count, std::string_view what) {
    if (failed_ || count > bytes_.size() - offset_) {
      if (!failed_) missing_ = what;
      failed_ = true;
      return {};
    }
    const auto taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }

  uint64_t number(size_t bytes, std::string_view what) {
    uint64_t value = 0;
    const auto taken = take(bytes, what);
    for (size_t i = 0; i < taken.size(); ++i) value |= std::to_integer<uint64_t>(taken[i]) << (8 * i);
    return value;
  }
  uint32_t u32(std::string_view what) { return static_cast<uint32_t>(number(4, what)); }

  bool failed() const { return failed_; }
  size_t left() const { return bytes_.size() - offset_; }
  Status status() const {
    if (!failed_) return {};
    return Status(Code::kInvalidArgument, fmt::format("the file ends at byte {} within {}", offset_, missing_));
  }

 private:
  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
  bool failed_ = false;
  std::string_view missing_;
};

class Writer {
 public:
  void add(std::span<const std::byte> bytes) { std::ranges::copy(bytes, std::back_inserter(bytes_)); }
  void add_u32(uint64_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes_.push_back(static_cast<std::byte>(value >> shift));
  }
  void add(const std::vector<VectorMemory>& memories) {
    add_u32(memories.size());
    for (const VectorMemory& memory : memories) {
      add_u32(memory.address);
      add_u32(memory.bytes.size());
      add(std::span(memory.bytes));
    }
  }
  std::vector<std::byte> bytes() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<VectorMemory> read_memories(Reader& reader, std::string_view what) {
  std::vector<VectorMemory> memories;
  const uint32_t count = reader.u32(what);
  for (uint32_t i = 0; i < count && !reader.failed(); ++i) {
    VectorMemory memory;
    memory.address = reader.u32(what);
    const auto bytes = reader.take(reader.u32(what), what);
    memory.bytes.assign(bytes.begin(), bytes.end());
    memories.push_back(std::move(memory));
  }
  return memories;
}

VectorCase read_case(Reader& reader) {
  VectorCase result;
  const auto name = reader.take(reader.u32("a name"), "a name");
  result.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  const uint32_t count = reader.u32("instructions");
  for (uint32_t i = 0; i < count && !reader.failed(); ++i) {
    const uint64_t low = reader.number(kInstructionBytes / 2, "instructions");
    result.instructions.push_back({low, reader.number(kInstructionBytes / 2, "instructions")});
  }
  result.inputs = read_memories(reader, "inputs");
  result.outputs = read_memories(reader, "outputs");
  return result;
}

Status check_overlap(const VectorCase& vector) {
  std::vector<std::pair<uint64_t, uint64_t>> extents;
  for (const auto* memories : {&vector.inputs, &vector.outputs}) {
    for (const VectorMemory& memory : *memories) extents.emplace_back(memory.address, memory.bytes.size());
  }
  std::sort(extents.begin(), extents.end());
  for (size_t i = 1; i < extents.size(); ++i) {
    if (extents[i - 1].first + extents[i - 1].second > extents[i].first)
      return Status(Code::kInvalidArgument,
                    fmt::format("its memories at {} and {} overlap", extents[i - 1].first, extents[i].first));
  }
  return {};
}

}  // namespace

Result<std::vector<VectorCase>> parse_vectors(std::span<const std::byte> file) {
  Reader reader(file);
  const auto magic = reader.take(kMagic.size(), "the magic");
  if (reader.failed() || std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0)
    return Status(Code::kInvalidArgument, "not a file of test vectors: it does not start with VTAV");
  const uint32_t version = reader.u32("the version");
  if (!reader.failed() && version != kVersion)
    return Status(Code::kInvalidArgument, fmt::format("version {} is not supported; expected {}", version, kVersion));
  const uint32_t count = reader.u32("the number of cases");
  std::vector<VectorCase> cases;
  for (uint32_t i = 0; i < count && !reader.failed(); ++i) {
    cases.push_back(read_case(reader));
    Status status = reader.status();
    if (status.ok()) status = check_overlap(cases.back());
    if (!status.ok()) return status.with_context(fmt::format("case {} of {}", i, count));
  }
  NESTRT_RETURN_IF_ERROR(reader.status());
  if (reader.left() > 0)
    return Status(Code::kInvalidArgument, fmt::format("{} bytes follow the last case", reader.left()));
  return cases;
}

std::vector<std::byte> format_vectors(std::span<const VectorCase> cases) {
  Writer file;
  file.add(std::as_bytes(std::span(kMagic)));
  file.add_u32(kVersion);
  file.add_u32(cases.size());
  for (const VectorCase& vector : cases) {
    file.add_u32(vector.name.size());
    file.add(std::as_bytes(std::span(vector.name)));
    file.add_u32(vector.instructions.size());
    for (const InstructionWord& word : vector.instructions)
      for (const uint64_t half : word) {
        file.add_u32(half);
        file.add_u32(half >> 32);
      }
    file.add(vector.inputs);
    file.add(vector.outputs);
  }
  return std::move(file).bytes();
}

}  // namespace nestrt::evta
