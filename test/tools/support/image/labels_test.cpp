// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/labels.h"

#include <catch2/catch.hpp>

#include "test/support/process/temporary_folder.h"

namespace nestrt::tools {
namespace {

// A text file that is deleted with its object.
class TextFile {
 public:
  explicit TextFile(std::string_view content) : path_(folder_.write("file.txt", std::as_bytes(std::span(content)))) {}
  operator const std::string&() const { return path_; }

 private:
  test::TemporaryFolder folder_;
  std::string path_;
};

TEST_CASE("Class names are the lines of a file") {
  const auto names = read_class_names(TextFile("airplane\r\ntench, Tinca tinca\n\n"));
  REQUIRE(names);
  CHECK(names->lines() == std::vector<std::string_view>{"airplane", "tench, Tinca tinca"});
  CHECK_FALSE(read_class_names(TextFile("\n")));
  CHECK_FALSE(read_class_names(TextFile(std::string_view("a\0b", 3))));
}

TEST_CASE("Labelled images are read with and without a header line") {
  for (const char* text : {"a b.jpg\t7\nc.jpg\t-1\n", "file\tclass\na b.jpg\t7\tmore\n\nc.jpg\t-1"}) {
    const auto rows = read_labelled_files(TextFile(text));
    REQUIRE(rows);
    REQUIRE(rows->size() == 2);
    CHECK(rows->at(0).file == "a b.jpg");
    CHECK(rows->at(0).label == 7);
    CHECK(rows->at(1).label == -1);
  }
}

TEST_CASE("A malformed line is named") {
  const auto rows = read_labelled_files(TextFile("a.jpg\t1\nb.jpg 2\n"));
  REQUIRE_FALSE(rows);
  CHECK(rows.error().message().find("line 2") != std::string_view::npos);
  for (const char* text :
       {"", "a.jpg", "a.jpg\tx\n", "a.jpg\ttench\nb.jpg\t2\n", "\t1\n", "a\t1\nb\t99999999999999999999\n"}) {
    CHECK_FALSE(read_labelled_files(TextFile(text)));
  }
}

TEST_CASE("A first line with a sample file name is not a header") {
  const auto rows = read_labelled_files(TextFile("a.jpg\ttench\nb.jpg\t2\n"));
  REQUIRE_FALSE(rows);
  CHECK(rows.error().message().find(
            "line 1: expected file<TAB>class, a number (or a name, with a file of class names); it is 'a.jpg") !=
        std::string_view::npos);
}

TEST_CASE("Labels may be class names, given as a whole line of the list or its first word") {
  const auto names = ClassNames::read(TextFile("n01 tench, Tinca tinca\n7\ncat\n"));
  REQUIRE(names);
  const auto rows = read_labelled_files(TextFile("file\tclass\na.jpg\tn01\nb.jpg\tcat\nc.jpg\t7\nd.jpg\t2\n"), *names);
  REQUIRE(rows);
  REQUIRE(rows->size() == 4);
  CHECK(rows->at(0).label == 0);
  CHECK(rows->at(1).label == 2);
  CHECK(rows->at(2).label == 1);  // a name comes before a number
  CHECK(rows->at(3).label == 2);
  CHECK_FALSE(read_labelled_files(TextFile("a.jpg\tdog\n"), *names));
}

TEST_CASE("Labelled files stay in their folder") {
  for (const char* file : {"/etc/passwd", "../a.jpg", "b/../../a.jpg"}) {
    const auto rows = read_labelled_files(TextFile(std::string("b.jpg\t1\n") + file + "\t1\n"));
    REQUIRE_FALSE(rows);
    CHECK(rows.error().message().find("line 2") != std::string_view::npos);
  }
  const auto rows = read_labelled_files(TextFile("file\tclass\nb/..c.jpg\t1\n"));
  REQUIRE(rows);
  CHECK(rows->at(0).line == 2);
}

TEST_CASE("A file that is labelled twice has one class and counts once") {
  const auto rows = read_labelled_files(TextFile("a.jpg\t1\nb.jpg\t2\na.jpg\t1\textra\nb/a.jpg\t3\n"));
  REQUIRE(rows);
  REQUIRE(rows->size() == 3);
  CHECK(rows->at(0).file == "a.jpg");
  CHECK(rows->at(0).line == 1);
  CHECK(rows->at(2).file == "b/a.jpg");
  CHECK(rows->at(2).line == 4);
  const auto spelled = read_labelled_files(TextFile("./a.jpg\t1\na.jpg\t1\nb//a.jpg\t3\nb/./a.jpg\t3\n"));
  REQUIRE(spelled);
  REQUIRE(spelled->size() == 2);
  CHECK(spelled->at(0).file == "a.jpg");
  CHECK(spelled->at(1).file == "b/a.jpg");
  const auto refused = read_labelled_files(TextFile("file\tclass\na.jpg\t1\nb.jpg\t2\n./a.jpg\t3\n"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == Code::kInvalidArgument);
  CHECK(refused.error().message().find("line 4: 'a.jpg' is already listed with a different class") !=
        std::string_view::npos);
}

TEST_CASE("A byte order mark is not part of the first line") {
  const std::string mark = "\xef\xbb\xbf";
  const auto names = read_class_names(TextFile(mark + "cat\n" + mark + "dog\n"));
  REQUIRE(names);
  CHECK(names->lines() == std::vector<std::string_view>{"cat",
                                                        "\xef\xbb\xbf"
                                                        "dog"});
  CHECK_FALSE(read_class_names(TextFile(mark)));
  const auto rows = read_labelled_files(TextFile(mark + "a.jpg\t1\na.jpg\t1\n"));
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->at(0).file == "a.jpg");
  const auto results = read_reference(TextFile(mark + "a.jpg\t2\t394\t0.34003\n"));
  REQUIRE(results);
  CHECK(results->at(0).file == "a.jpg");
}

TEST_CASE("Reference results have four columns") {
  const auto rows = read_reference(TextFile("file\tlabel\tort_top1\tort_prob\na.jpg\t2\t394\t0.34003\n"));
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->at(0).top1 == 394);
  CHECK(rows->at(0).largest_output == 0.34003);
  CHECK_FALSE(read_reference(TextFile("a.jpg\t1\t2\n")));
}

}  // namespace
}  // namespace nestrt::tools
