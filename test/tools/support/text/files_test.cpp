// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/files.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/support/process/temporary_folder.h"
#include "tools/support/text/json.h"

namespace nestrt::tools {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A file is replaced atomically without temporary files") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/text";
  REQUIRE(write_text(path, "first\nline").ok());
  REQUIRE(write_text(path, "second").ok());
  CHECK(read_lines(path)->lines() == std::vector<std::string_view>{"second"});
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("A write error names the file and leaves no temporary file") {
  const test::TemporaryFolder folder;
  CHECK(write_text(folder.path() + "/absent/text", "x").code() == Code::kNotFound);
  const Status status = write_text(folder.path(), "x");
  CHECK(status.code() == Code::kIo);
  CHECK(status.message().find(folder.path()) != std::string_view::npos);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("A group of files is written completely or not at all") {
  const test::TemporaryFolder folder;
  const std::string first = folder.path() + "/first", second = folder.path() + "/second";
  REQUIRE(write_text(first, "old").ok());
  fs::create_directory(second);
  const auto write_both = [&] {
    NewFiles files;
    NESTRT_RETURN_IF_ERROR(files.add_text(first, "new"));
    NESTRT_RETURN_IF_ERROR(files.add_text(second, "new"));
    return files.take_places();
  };
  CHECK(write_both().message().find(second) != std::string_view::npos);
  CHECK(read_lines(first)->lines() == std::vector<std::string_view>{"old"});
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 2);
  fs::remove(second);
  REQUIRE(write_both().ok());
  CHECK(read_lines(first)->lines() == std::vector<std::string_view>{"new"});
  CHECK(read_lines(second)->lines() == std::vector<std::string_view>{"new"});
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 2);
}

TEST_CASE("Writing to a link replaces its target") {
  const test::TemporaryFolder folder;
  REQUIRE(write_text(folder.path() + "/file", "old").ok());
  fs::create_symlink("file", folder.path() + "/link");
  REQUIRE(write_text(folder.path() + "/link", "new").ok());
  CHECK(fs::is_symlink(folder.path() + "/link"));
  CHECK(read_lines(folder.path() + "/file")->lines() == std::vector<std::string_view>{"new"});
}

TEST_CASE("The lines of a file are views into one text, without spare capacity") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write_text("text", std::string(1000, '\n') + "a\r\nlast");
  const auto text = read_lines(path);
  REQUIRE(text);
  const std::vector<std::string_view>& lines = text->lines();
  REQUIRE(lines.size() == 1002);
  CHECK(lines.capacity() == lines.size());
  CHECK(lines[1000] == "a");
  CHECK(lines[1001] == "last");
  CHECK(lines[1001].data() - lines[0].data() == 1003);
}

TEST_CASE("An output that is one of many inputs is found without reading past a missing input") {
  const test::TemporaryFolder folder;
  const std::string output = folder.write_text("output", "x"), other = folder.write_text("other", "x");
  fs::create_symlink("output", folder.path() + "/link");
  size_t looks = 0;
  const auto check = [&](const std::string& written, const std::vector<std::string>& inputs) {
    looks = 0;
    const std::string outputs[] = {"", written};
    return check_not_inputs(outputs, inputs.size(), [&](size_t index) { return ++looks, inputs[index]; });
  };
  const Status status = check(output, {other, other, folder.path() + "/link"});
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("link") != std::string_view::npos);
  CHECK(looks == 3);
  CHECK(check(output, {other, folder.path() + "/missing", output}).ok());
  CHECK(looks == 2);
  CHECK(check(folder.path() + "/new", {other, other, output}).ok());
  CHECK(looks == 0);
}

TEST_CASE("A device file is written in place") {
  REQUIRE(write_text("/dev/null", "x").ok());
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("Only regular files are read") {
  const test::TemporaryFolder folder;
  for (const std::string& path : {std::string("/dev/zero"), folder.path()}) {
    const auto bytes = read_file(path);
    REQUIRE_FALSE(bytes);
    CHECK(bytes.error().message().find("is not a regular file") != std::string_view::npos);
  }
}

TEST_CASE("check_writable() reports an unwritable file and leaves nothing behind") {
  const test::TemporaryFolder folder;
  CHECK(check_writable("").code() == Code::kInvalidArgument);
  CHECK(check_writable(folder.path()).code() == Code::kIo);
  CHECK(check_writable(folder.path() + "/absent/text").code() == Code::kNotFound);
  CHECK(check_writable(folder.path() + "/text").ok());
  CHECK(check_writable("text").ok());
  CHECK(check_writable("/dev/null").ok());
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("Plans and models are only overwritten by their own kind, and images never") {
  const test::TemporaryFolder folder;
  const std::string plan = folder.write_text("plan", "NESTPLAN and so on");
  const std::string model = folder.write_text("model.onnx", "model"), image = folder.write_text("cat.JPG", "image");
  const auto refused = [](const std::string& path, Written what) {
    const Status status = check_writable(path, what);
    return status.code() == Code::kInvalidArgument &&
           status.message().find("would be overwritten") != std::string_view::npos;
  };
  for (const Written what : {Written::kText, Written::kPlan, Written::kModel}) {
    CHECK(refused(plan, what) == (what != Written::kPlan));
    CHECK(refused(model, what) == (what != Written::kModel));
    CHECK(refused(image, what));
    CHECK(check_writable(folder.write_text("text", "NEST in a text"), what).ok() == (what == Written::kText));
    CHECK(refused(folder.write_text("team.key", "nestrt-secret-key and so on"), what));
    CHECK(check_writable(folder.path() + "/new.onnx", what).ok());
  }
}

TEST_CASE("Protected files are recognised by their content and through links") {
  const test::TemporaryFolder folder;
  for (const auto& [name, content] : {std::pair("png", "\x89PNG\r\n"), std::pair("jpeg", "\xff\xd8\xff\xe0"),
                                      std::pair("model", "\x08\x08\x12\x07pytorch")})
    CHECK_FALSE(check_writable(folder.write_text(name, content)).ok());
  folder.write_text("cat.png", "");
  fs::create_symlink("cat.png", folder.path() + "/link");
  CHECK_FALSE(check_writable(folder.path() + "/link").ok());
  CHECK(check_writable(folder.write_text("notes", "\tindented")).ok());
}

TEST_CASE("Reports, pages and arrays only replace files of the same kind") {
  const test::TemporaryFolder folder;
  const std::string labels = folder.write_text("labels.txt", "cat.png\t3\n"), empty = folder.write_text("empty", "");
  const std::pair<Written, const char*> alike[] = {
      {Written::kJson, "{}\n"}, {Written::kPage, "<!doctype html>\n"}, {Written::kArray, "\x93NUMPY and so on"}};
  const std::pair<Written, const char*> more[] = {{Written::kProfile, "format: nestrt quantization profile\n"},
                                                  {Written::kCosts, "nestrt costs 3\n"},
                                                  {Written::kPartition, "---\nfuncName: 'a'\n"},
                                                  {Written::kPredictions, "file\tlabel\ttop1\tlargest\n"},
                                                  {Written::kPlan, "NESTPLAN and so on"}};
  std::vector<std::pair<Written, const char*>> all(std::begin(alike), std::end(alike));
  all.insert(all.end(), std::begin(more), std::end(more));
  for (const auto& [what, content] : all) {
    const Status refused = check_writable(labels, what);
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK(std::string(refused.message()).find("labels.txt") != std::string::npos);
    CHECK(check_writable(folder.write_text("alike", content), what).ok());
    CHECK(check_writable(empty, what).ok());
    CHECK(check_writable(folder.path() + "/new", what).ok());
  }
  CHECK_FALSE(write_json(labels, Json::array()).ok());
}

TEST_CASE("Two outputs that are the same file are rejected under any spelling, even before it exists") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/a.json", other = folder.path() + "/./a.json";
  const std::string relative = fs::relative(path).string();
  const auto distinct = [](std::vector<std::string> outputs) { return check_distinct(outputs).ok(); };
  CHECK_FALSE(distinct({path, other}));
  CHECK_FALSE(distinct({path, relative}));
  CHECK_FALSE(distinct({"a.json", "./a.json"}));
  CHECK(distinct({path, folder.path() + "/b.json", "", "", "/dev/null", "/dev/null"}));
}

TEST_CASE("An output that is the input under another name is rejected") {
  const test::TemporaryFolder folder;
  REQUIRE(write_text(folder.path() + "/model", "x").ok());
  fs::create_symlink("model", folder.path() + "/link");
  const Status status = check_not_input(folder.path() + "/./link", folder.path() + "/model");
  CHECK(status.code() == Code::kInvalidArgument);
  const std::vector<std::string> several = {folder.path() + "/absent", folder.path() + "/model"};
  CHECK_FALSE(check_not_input(folder.path() + "/link", several).ok());
  CHECK(check_not_input(folder.path() + "/plan", folder.path() + "/model").ok());
  folder.write_text("cat.PNG", "");
  folder.write_text("report.json", "");
  CHECK_FALSE(check_not_input(folder.path() + "/./cat.PNG", folder.path()).ok());  // a sample in the folder
  CHECK(check_not_input(folder.path() + "/dog.png", folder.path()).ok());
  CHECK(check_not_input(folder.path() + "/report.json", folder.path()).ok());
  CHECK(check_not_input(folder.path() + "/model", folder.path() + "/absent").ok());
}

}  // namespace
}  // namespace nestrt::tools
