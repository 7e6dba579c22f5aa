// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/vendor_command.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "compiler-lite/vendor/offload.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/process/working_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

// A vendor's command that is a shell script.
class ScriptedVendor {
 public:
  explicit ScriptedVendor(const std::string& script) : script_(folder_.write_text("cc.sh", script)) {}

  Result<VendorOutput> run(const std::string& arguments, const std::function<void(VendorOptions&)>& change = {}) const {
    auto options = parse_vendor("npu=sh " + script_ + " " + arguments);
    INFO(options.error().to_string());
    REQUIRE(options);
    if (change) change(*options);
    VendorPart part;
    part.name = "body";
    part.model = "MODEL";
    return run_vendor_command(*options, part);
  }
  const test::TemporaryFolder& folder() const { return folder_; }

 private:
  const test::TemporaryFolder folder_;
  const std::string script_;
};

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Replaces an environment variable or the working folder during a test.
class TemporaryFolderForFiles {
 public:
  explicit TemporaryFolderForFiles(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFolderForFiles() {
    if (before_.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", before_.c_str(), 1);
  }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("Words of a vendor's command that name files become absolute") {
  const ScriptedVendor vendor("echo $1 $2 $3 > $5");
  vendor.folder().write_text("adapter.py", "");
  vendor.folder().write_text("k230", "");
  const test::WorkingFolder there(vendor.folder().path());
  const auto output = vendor.run("adapter.py --with=./adapter.py k230 {input} {output}");
  INFO(output.error().to_string());
  REQUIRE(output);
  const std::string path = vendor.folder().path() + "/";
  CHECK(text_of(output->blob) == path + "adapter.py --with=" + path + "./adapter.py k230\n");
}

TEST_CASE("Several output files become one archive, sorted by name") {
  const auto output = ScriptedVendor("mkdir $2/sub; printf B > $2/sub/b; printf A > $2/z").run("{input} {outputs}");
  INFO(output.error().to_string());
  REQUIRE(output);
  const std::string text = text_of(output->blob);
  CHECK(text.substr(30, 6) == "sub/bB");
  CHECK_THAT(text, Contains("zA"));
  CHECK_THAT(std::string(ScriptedVendor("true").run("{input} {outputs}").error().message()),
             Contains("its command wrote no output"));
}

TEST_CASE(
    "If a failing command prints a lot, the message shows the beginning and the end, and a file keeps all of it") {
  const test::TemporaryFolder files;
  const TemporaryFolderForFiles there(files.path());
  const ScriptedVendor vendor(
      "echo the cause >&2; for i in 1 2 3 4 5 6 7 8 9; do printf '%0500d\\n' $i >&2; done; echo the end >&2; echo "
      "seen; "
      "exit 1");
  const std::string message(vendor.run("{input} {output}").error().message());
  CHECK_THAT(message, Contains("it printed: the cause; ") && Contains("...") && Contains("the end"));
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(files.path()))
    if (entry.is_regular_file()) kept.push_back(entry.path().string());
  REQUIRE(kept.size() == 1);
  CHECK_THAT(message, Contains("all of its output: " + kept[0]));
  const auto content = tools::read_file(kept[0]);
  REQUIRE(content);
  const std::string text(reinterpret_cast<const char*>(content->data()), content->size());
  CHECK_THAT(text, Contains("the cause") && Contains(std::string(499, '0') + "5") && Contains("seen"));
}

TEST_CASE("If a failing command prints little, the message shows all of it, and no file keeps it") {
  const test::TemporaryFolder files;
  const TemporaryFolderForFiles there(files.path());
  CHECK_THAT(std::string(ScriptedVendor("echo no >&2; exit 1").run("{input} {output}").error().message()),
             Contains("it printed: no"));
  CHECK(fs::is_empty(files.path()));
}

TEST_CASE("A vendor's report contains the NPU's share of the part and the part's time") {
  const ScriptedVendor vendor(
      "cp $1 $2; echo '{\"npu_share\": 0.5, \"microseconds\": 840, \"on_cpu\": [{\"operator\": \"conv1\", \"reason\": "
      "\"too large\"}]}' > $3");
  std::string told;
  const auto output = vendor.run("{input} {output} {report}", [&](VendorOptions& options) {
    options.on_report = [&](const std::string& part, const VendorReport& report) {
      told = part + ": " + summary_of(report);
    };
  });
  INFO(output.error().to_string());
  REQUIRE(output);
  CHECK(output->report->npu_share == 0.5);
  CHECK(told == "body: 50 % of the work is on the NPU; on the CPU: conv1 (too large)");
  const UnitProgram program = program_of(*output, VendorPart{}, OffloadCost{1, 1, 1, 1}, {});
  CHECK(program.microseconds == 840);
  CHECK(program.cost_origin == plan::CostOrigin::kModelled);
  REQUIRE(program.vendor);
  CHECK(program.vendor->npu_share == .5f);
  CHECK(program.vendor->on_cpu == "conv1 (too large)");
}

TEST_CASE("A part of which the NPU computes nothing is an error unless the user accepts it") {
  const ScriptedVendor vendor("cp $1 $2; echo '{\"npu_share\": 0}' > $3");
  const auto refused = vendor.run("{input} {output} {report}");
  CHECK(refused.error().code() == Code::kUnsupported);
  CHECK_THAT(std::string(refused.error().message()), Contains("everything for the CPU") && Contains("allow-cpu"));
  CHECK(vendor.run("{input} {output} {report}", [](VendorOptions& options) { options.allow_cpu = true; }));
}

TEST_CASE("A missing or invalid report is an error") {
  for (const char* report : {"", "echo '{' > $3", "echo '{}' > $3", "echo '{\"npu_share\": 1.5}' > $3",
                             "echo '{\"npu_share\": 1, \"microseconds\": -1}' > $3"}) {
    INFO(report);
    const auto output = ScriptedVendor("cp $1 $2; " + std::string(report)).run("{input} {output} {report}");
    CHECK_THAT(std::string(output.error().message()), Contains("{report}"));
  }
}

TEST_CASE("A vendor's command needs an input and one kind of output") {
  CHECK(check_vendor_command("cc {input} {outputs}").ok());
  CHECK_THAT(std::string(check_vendor_command("cc {output}").message()), Contains("has no {input}"));
  CHECK_THAT(std::string(check_vendor_command("cc {input}").message()), Contains("has no {output}"));
  CHECK_THAT(std::string(check_vendor_command("cc {input} {output} {outputs}").message()), Contains("has both"));
}

}  // namespace nestrt::compiler
