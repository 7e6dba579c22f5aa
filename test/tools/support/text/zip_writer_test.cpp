// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/zip_writer.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::tools {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

uint32_t u32_at(const std::vector<std::byte>& bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::vector<std::byte> archive_at(const std::string& path, std::span<const std::string_view> blocks) {
  auto writer = ZipWriter::create(path);
  REQUIRE(writer);
  REQUIRE(writer->begin("a.npy").ok());
  for (const std::string_view block : blocks) REQUIRE(writer->append(bytes_of(block)).ok());
  REQUIRE(writer->begin("b").ok());
  REQUIRE(writer->finish().ok());
  const auto content = read_file(path);
  REQUIRE(content);
  return *content;
}

}  // namespace

TEST_CASE("A zip archive has the headers, the check value and the sizes of the format") {
  const test::TemporaryFolder folder;
  const std::string_view whole[] = {"123456789"};
  const auto bytes = archive_at(folder.path() + "/a.zip", whole);
  CHECK(u32_at(bytes, 0) == 0x04034b50);
  CHECK(u32_at(bytes, 14) == 0xcbf43926);  // the check value of CRC-32
  CHECK(u32_at(bytes, 18) == 9);
  CHECK(u32_at(bytes, 22) == 9);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(text.substr(30, 14) == "a.npy123456789");
  const size_t end = bytes.size() - 22;
  CHECK(u32_at(bytes, end) == 0x06054b50);
  CHECK(u32_at(bytes, end + 8) == 0x00020002);  // two entries
  const uint32_t directory = u32_at(bytes, end + 16);
  CHECK(directory + u32_at(bytes, end + 12) == end);
  CHECK(u32_at(bytes, directory) == 0x02014b50);
  CHECK(u32_at(bytes, directory + 16) == 0xcbf43926);
  CHECK(text.substr(directory + 46, 5) == "a.npy");
}

TEST_CASE("The bytes of a zip archive do not depend on how its entries are appended") {
  const test::TemporaryFolder folder;
  const std::string_view whole[] = {"123456789"}, parts[] = {"1", "", "2345678", "9"};
  CHECK(archive_at(folder.path() + "/a.zip", whole) == archive_at(folder.path() + "/b.zip", parts));
}

TEST_CASE("A zip archive in a missing folder is an error") {
  const test::TemporaryFolder folder;
  CHECK(ZipWriter::create(folder.path() + "/none/a.zip").error().code() == Code::kIo);
}

}  // namespace nestrt::tools
