// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/vector_file.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "drivers/evta/isa/encode.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/evta/replay_in_both.h"
#include "test/support/test_level.h"

namespace nestrt::evta {
namespace {

using Catch::Matchers::Contains;

class FileWriter {
 public:
  void u32(uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void text(std::string_view text) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  }
  void instruction(const Instruction& instruction) {
    const auto word = encode(test::stock_configuration(), instruction);
    REQUIRE(word);
    for (const uint64_t half : *word) {
      u32(static_cast<uint32_t>(half));
      u32(static_cast<uint32_t>(half >> 32));
    }
  }
  void memory(uint32_t address, std::vector<uint32_t> words) {
    u32(address);
    u32(static_cast<uint32_t>(4 * words.size()));
    for (const uint32_t word : words) u32(word);
  }

  std::vector<std::byte> bytes;
};

constexpr Loop kOneStep{.uop_end = 1};

// Returns a file with one case: 16 accumulators of 3, plus 4, stored as the first of two outputs.
std::vector<std::byte> sample_file(uint32_t expected = 0x07070707) {
  FileWriter file;
  file.text("VTAV");
  for (const uint32_t value : {1u, 1u, 5u}) file.u32(value);
  file.text("added");
  file.u32(5);
  file.instruction(make_load({Memory::kAcc, 0, 0x1000 / 64, 1, 1, 1}));
  file.instruction(make_load({Memory::kUop, 0, 0x2000 / 4, 1, 1, 1}));
  file.instruction(make_alu({kOneStep, AluOpcode::kAdd, true, 4}, {.push_next = true}));
  file.instruction(make_store({Memory::kOut, 0, 0x3000 / 16, 1, 1, 1}, {.pop_prev = true, .push_prev = true}));
  file.instruction(make_finish({.pop_next = true}));
  file.u32(2);
  file.memory(0x1000, std::vector<uint32_t>(16, 3));
  file.memory(0x2000, {0});
  file.u32(1);
  file.memory(0x3000, {expected, expected, expected, expected, 0x55555555, 0x55555555, 0x55555555, 0x55555555});
  return file.bytes;
}

TEST_CASE("A vector passes only if the memory has the expected contents") {
  const auto right = parse_vectors(sample_file());
  REQUIRE(right);
  REQUIRE(right->size() == 1);
  CHECK(right->front().name == "added");
  const Status status = replay_in_both(right->front(), test::stock_configuration());
  INFO(status.message());
  CHECK(status.ok());
  const auto wrong = parse_vectors(sample_file(0x07070807));
  REQUIRE(wrong);
  CHECK_THAT(std::string(replay_in_both(wrong->front(), test::stock_configuration()).message()),
             Contains("simulator: byte 1 of the output at 12288 is 7, expected 8"));
}

TEST_CASE("A truncated vector file is rejected at every length") {
  const std::vector<std::byte> file = sample_file();
  for (size_t size = 0; size < file.size(); ++size) {
    const auto cases = parse_vectors(std::span(file).first(size));
    REQUIRE_FALSE(cases);
    REQUIRE(cases.error().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("A vector file of a different kind or version is rejected") {
  std::vector<std::byte> file = sample_file();
  file.push_back(std::byte{0});
  CHECK_THAT(std::string(parse_vectors(file).error().message()), Contains("1 bytes follow the last case"));
  file = sample_file();
  file[4] = std::byte{2};
  CHECK_THAT(std::string(parse_vectors(file).error().message()), Contains("version 2 is not supported; expected 1"));
  file[0] = std::byte{0};
  CHECK_THAT(std::string(parse_vectors(file).error().message()), Contains("does not start with VTAV"));
}

TEST_CASE("A damaged vector file is rejected, or its cases run") {
  std::mt19937 random(1);
  const std::vector<std::byte> good = sample_file();
  for (int i = 0; i < nestrt::test::by_level(200, 2000, 100000); ++i) {
    std::vector<std::byte> file = good;
    for (uint32_t k = random() % 3 + 1; k > 0; --k) file[random() % file.size()] ^= std::byte{1} << (random() % 8);
    const auto cases = parse_vectors(file);
    if (!cases) continue;
    for (const VectorCase& vector : *cases) {
      const Status status = replay_in_both(vector, test::stock_configuration());
      REQUIRE(status.code() != Code::kInternal);
    }
  }
}

}  // namespace
}  // namespace nestrt::evta
