#include "runtime/tools/labels.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "runtime/tools/files.h"

namespace nestrt::tools {
namespace {

std::string text_file(std::string_view content) {
  const std::filesystem::path folder = std::filesystem::path(NESTRT_BINARY_DIR) / "test-output/labels";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "file.txt";
  REQUIRE(write_text(path, content).ok());
  return path;
}

TEST_CASE("Class names are the lines of a file") {
  const auto names = read_class_names(text_file("airplane\r\ntench, Tinca tinca\n\n"));
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"airplane", "tench, Tinca tinca"});
  CHECK_FALSE(read_class_names(text_file("\n")));
  CHECK_FALSE(read_class_names(text_file(std::string_view("a\0b", 3))));
}

TEST_CASE("Labelled pictures are read with and without a header line") {
  for (const char* text : {"a b.jpg\t7\nc.jpg\t-1\n", "file\tclass\na b.jpg\t7\tmore\n\nc.jpg\t-1"}) {
    const auto rows = read_labelled_files(text_file(text));
    REQUIRE(rows);
    REQUIRE(rows->size() == 2);
    CHECK(rows->at(0).file == "a b.jpg");
    CHECK(rows->at(0).label == 7);
    CHECK(rows->at(1).label == -1);
  }
}

TEST_CASE("A malformed line is named") {
  const auto rows = read_labelled_files(text_file("a.jpg\t1\nb.jpg 2\n"));
  REQUIRE_FALSE(rows);
  CHECK(rows.error().message().find("line 2") != std::string_view::npos);
  for (const char* text : {"", "a.jpg", "a.jpg\tx\n", "\t1\n", "a\t1\nb\t99999999999999999999\n"}) {
    CHECK_FALSE(read_labelled_files(text_file(text)));
  }
}

TEST_CASE("Labelled files stay in their folder") {
  for (const char* file : {"/etc/passwd", "../a.jpg", "b/../../a.jpg"}) {
    const auto rows = read_labelled_files(text_file(std::string("b.jpg\t1\n") + file + "\t1\n"));
    REQUIRE_FALSE(rows);
    CHECK(rows.error().message().find("line 2") != std::string_view::npos);
  }
  const auto rows = read_labelled_files(text_file("file\tclass\nb/..c.jpg\t1\n"));
  REQUIRE(rows);
  CHECK(rows->at(0).line == 2);
}

TEST_CASE("Reference results have four columns") {
  const auto rows = read_reference(text_file("file\tlabel\tort_top1\tort_prob\na.jpg\t2\t394\t0.34003\n"));
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->at(0).top1 == 394);
  CHECK(rows->at(0).largest_output == 0.34003);
  CHECK_FALSE(read_reference(text_file("a.jpg\t1\t2\n")));
}

}  // namespace
}  // namespace nestrt::tools
