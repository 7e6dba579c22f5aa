// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/sample_files.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/support/process/temporary_folder.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;
using Files = std::vector<std::string>;

// A folder of empty files.
class DataSet {
 public:
  explicit DataSet(const Files& files) {
    for (const std::string& file : files) {
      std::filesystem::create_directories(std::filesystem::path(path(file)).parent_path());
      folder_.write_text(file, "");
    }
  }
  std::string path(const std::string& name = "") const { return folder_.path() + (name.empty() ? "" : "/" + name); }
  std::string list(const std::string& text) const { return folder_.write_text("list.txt", text); }

 private:
  test::TemporaryFolder folder_;
};

std::string complaint(const std::string& source) {
  const auto found = find_samples(source);
  REQUIRE_FALSE(found);
  return found.error().to_string();
}

TEST_CASE("The samples of a folder are its images and arrays and those of its subfolders, sorted by path") {
  const DataSet data(
      {"dog/2.JPG", "dog/old/1.png", "cat/9.npy", "b.bmp", "notes.txt", ".cache/1.png", "cat/.hidden.png"});
  const auto found = find_samples(data.path());
  REQUIRE(found);
  CHECK(found->files == Files{"b.bmp", "cat/9.npy", "dog/2.JPG", "dog/old/1.png"});
  CHECK(found->path(1) == data.path("cat/9.npy"));
}

TEST_CASE("A loop of links to folders ends") {
  const DataSet data({"cat/1.png"});
  std::filesystem::create_directory_symlink(data.path(), data.path("cat/loop"));
  std::filesystem::create_directory_symlink(data.path("cat"), data.path("again"));
  const auto found = find_samples(data.path());
  REQUIRE(found);
  CHECK(found->files.size() == 1);
}

TEST_CASE("A list keeps its order and refers to the folder that contains it") {
  const DataSet data({"b/1.png", "a/1.png"});
  const auto found = find_samples(data.list("b/1.png\t3\n\n./a//1.png\n"));
  REQUIRE(found);
  CHECK(found->files == Files{"b/1.png", "a/1.png"});
  CHECK(found->folder == data.path());
}

TEST_CASE("Sources without samples are rejected with the expected forms") {
  const DataSet data({"notes.txt", "one.png"});
  CHECK_THAT(complaint(data.path("absent")), Contains("absent") && Contains("No such file") && Contains("a folder"));
  CHECK_THAT(complaint(data.path("one.png")), Contains("a single file"));
  CHECK_THAT(complaint(data.path("notes.txt")), Contains("is empty"));
  CHECK_THAT(complaint(data.list("a.png\nnotes.txt\n")), Contains("line 2") && Contains("notes.txt"));
  CHECK_THAT(complaint(data.list("../a.png\n")), Contains("line 1") && Contains("inside it"));
  std::filesystem::create_directory(data.path("empty"));
  CHECK_THAT(complaint(data.path("empty")), Contains("no .jpg"));
}

std::vector<int64_t> labels_of(const Result<FolderClasses>& classes) {
  REQUIRE(classes);
  std::vector<int64_t> labels;
  for (const LabelledFile& file : classes->files) labels.push_back(file.label);
  return labels;
}

TEST_CASE("Folders are classes by name, by number, or by position") {
  const DataSet data({});
  const Files files = {"dog/1.png", "cat/1.png", "dog/2/3.png"};
  const auto by_position = classes_of_folders("val", files, {});
  CHECK(labels_of(by_position) == std::vector<int64_t>{1, 0, 1});
  CHECK(by_position->num_positions == 2);

  const auto names = ClassNames::read(data.list("tench\ncat\nmouse\ndog, wolf\n"));
  REQUIRE(names);
  const auto by_name = classes_of_folders("val", files, *names);
  CHECK(labels_of(by_name) == std::vector<int64_t>{3, 1, 3});
  CHECK(by_name->num_positions == 0);

  const auto by_number = classes_of_folders("val", Files{"10/a.png", "9/a.png", "007/a.png"}, {});
  CHECK(labels_of(by_number) == std::vector<int64_t>{10, 9, 7});
  CHECK(by_number->num_positions == 0);
}

TEST_CASE("Images outside class folders and folders without a class name are rejected by name") {
  const DataSet data({});
  const auto outside = classes_of_folders("val", Files{"cat/1.png", "2.png"}, {});
  REQUIRE_FALSE(outside);
  CHECK_THAT(outside.error().to_string(), Contains("'2.png'") && Contains("--labels"));
  const auto names = ClassNames::read(data.list("dog a\ndog b\n"));
  REQUIRE(names);
  const auto unknown = classes_of_folders("val", Files{"dog/1.png"}, *names);  // the first word of two lines
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().to_string(), Contains("'dog'") && Contains("list.txt"));
}

}  // namespace
}  // namespace nestrt::tools
