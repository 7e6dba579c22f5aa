// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/npy.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <string>

#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::tools {
namespace {

// Returns a version 1 file with this header text and data.
std::vector<std::byte> npy_file(const std::string& header, const std::string& data, int version = 1) {
  std::string content("\x93NUMPY", 6);
  content += {static_cast<char>(version), '\0'};
  const size_t length_bytes = version == 1 ? 2 : 4;
  for (size_t i = 0; i < length_bytes; ++i) content += static_cast<char>(header.size() >> (8 * i) & 0xff);
  content += header + data;
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  return {bytes, bytes + content.size()};
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

Code refusal(const std::vector<std::byte>& content) {
  const auto result = parse_npy(content, "x.npy");
  if (result) return Code::kOk;
  INFO(result.error().message());
  CHECK(result.error().message().find("x.npy") != std::string_view::npos);
  return result.error().code();
}

TEST_CASE("An npy file restores the written tensor for every type and rank") {
  for (const DataType type :
       {DataType::kF32, DataType::kS8, DataType::kU8, DataType::kS32, DataType::kS64, DataType::kBool}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0, 4}, Shape{1, 2, 1, 2, 1, 2, 1, 2}}) {
      std::vector<std::byte> data(static_cast<size_t>(shape.num_elements()) * size_bytes(type));
      for (size_t i = 0; i < data.size(); ++i) data[i] = type == DataType::kBool ? std::byte(i & 1) : std::byte(i + 1);
      const std::vector<std::byte> content = format_npy({type, shape, data.data()});
      const auto read = parse_npy(content, "x.npy");
      INFO(name(type) << ' ' << shape.to_string());
      REQUIRE(read);
      CHECK(read->type == type);
      CHECK(read->shape == shape);
      CHECK(read->bytes == data);
      CHECK((content.size() - data.size()) % 64 == 0);
    }
  }
}

TEST_CASE("An npy header equals that of numpy") {
  const float value = 1;
  const std::vector<std::byte> content = format_npy({DataType::kF32, Shape{1}, &value});
  const std::string expected("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 66);
  CHECK(std::memcmp(content.data(), expected.data(), expected.size()) == 0);
}

TEST_CASE("Npy files of doubles become f32, and versions 2 and 3 are read") {
  for (const int version : {1, 2, 3}) {
    const auto read = parse_npy(npy_file(dictionary("<f8", "(2,)"), bytes_of<double>({1.5, -2}), version), "x.npy");
    REQUIRE(read);
    CHECK(read->type == DataType::kF32);
    CHECK(read->bytes.size() == 8);
    CHECK(reinterpret_cast<const float*>(read->bytes.data())[1] == -2.0f);
  }
}

TEST_CASE("Booleans of an npy file are 0 or 1") {
  const auto read = parse_npy(npy_file(dictionary("|b1", "(2,)"), std::string("\x07\x00", 2)), "x.npy");
  REQUIRE(read);
  CHECK(read->bytes == std::vector<std::byte>{std::byte{1}, std::byte{0}});
}

TEST_CASE("Npy files of other types and orders are rejected with the remedy") {
  for (const char* descr : {">f4", "<f2", "<u4", "<c8", "|S5", "|O", ""}) {
    CHECK(refusal(npy_file(dictionary(descr, "(1,)"), "abcd")) == Code::kUnsupported);
  }
  CHECK(refusal(npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")) ==
        Code::kUnsupported);
  const auto fortran = parse_npy(npy_file(dictionary("<f4", "(1,)", "True"), "abcd"), "x.npy");
  REQUIRE_FALSE(fortran);
  CHECK(fortran.error().message().find("ascontiguousarray") != std::string_view::npos);
}

TEST_CASE("Hostile npy shapes are rejected") {
  for (const char* shape :
       {"(2,)", "(-1,)", "(0,)", "(4611686018427387904, 4)", "(9223372036854775807,)", "(99999999999999999999,)",
        "(1,1,1,1,1,1,1,1,1)", "(1", "(,)", "(1 1)", "1", "(1.0,)", "('1',)"}) {
    INFO(shape);
    CHECK(refusal(npy_file(dictionary("<f4", shape), "abcd")) == Code::kInvalidArgument);
  }
}

TEST_CASE("Hostile npy headers are rejected") {
  for (const char* header :
       {"", "{", "}", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr: <f4, 'fortran_order': False, 'shape': (1,)}", "{'descr': [, 'fortran_order': False, 'shape': (1,)}",
        "{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f4' 'fortran_order': False}"}) {
    INFO(header);
    CHECK(refusal(npy_file(header, "abcd")) == Code::kInvalidArgument);
  }
  CHECK(refusal(npy_file(dictionary("<f4", "(1,)") + std::string(70000, ' '), "abcd", 2)) == Code::kInvalidArgument);
  CHECK(refusal(npy_file(dictionary("<f4", "(1,)"), "abcd", 4)) == Code::kInvalidArgument);
}

TEST_CASE("Every truncation of an npy file is rejected") {
  const std::vector<std::byte> content = npy_file(dictionary("<f4", "(2, 2)"), std::string(16, 'x'));
  REQUIRE(parse_npy(content, "x.npy"));
  for (size_t size = 0; size < content.size(); ++size) {
    CHECK(refusal({content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)}) == Code::kInvalidArgument);
  }
}

TEST_CASE("An npy file of the wrong size is rejected by its header, before the rest is read") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/x.npy";
  const std::vector<std::byte> content = npy_file(dictionary("<f4", "(1, )"), "abcd");
  REQUIRE(write_file(path, content).ok());
  REQUIRE(read_npy(path));
  // A sparse file, longer than any readable one.
  std::filesystem::resize_file(path, kMaxFileBytes + 1);
  const auto refused = read_npy(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("does not match the") != std::string_view::npos);
  std::filesystem::resize_file(path, content.size() - 1);
  CHECK_FALSE(read_npy(path));
}

TEST_CASE("An npy file is written completely or not at all") {
  const test::TemporaryFolder own;
  const std::filesystem::path folder = own.path();
  const float value = 3;
  REQUIRE(write_npy(folder / "y.npy", {DataType::kF32, Shape{1}, &value}).ok());
  const auto read = read_npy(folder / "y.npy");
  REQUIRE(read);
  CHECK(read->shape == Shape{1});
  CHECK(write_npy(folder / "absent/y.npy", {DataType::kF32, Shape{1}, &value}).code() == Code::kNotFound);
  // A folder blocks the rename, and the temporary file is removed.
  std::filesystem::create_directories(folder / "z.npy/x");
  CHECK(write_npy(folder / "z.npy", {DataType::kF32, Shape{1}, &value}).code() == Code::kIo);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
}

}  // namespace
}  // namespace nestrt::tools
