// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/component.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

#include "test/support/process/environment.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/process/working_folder.h"

namespace nestrt::evta {
namespace {

// Sets NESTRT_COMPONENTS until the end of the scope.
class ComponentsFolder : public nestrt::test::Environment {
 public:
  explicit ComponentsFolder(const std::string& folder) : Environment("NESTRT_COMPONENTS", folder.c_str()) {}
};

TEST_CASE("The simulator is found next to the programs of this build and creates transports") {
  const auto component = find_component("sim");
  REQUIRE(component);
  const auto transport = (*component)->make_transport({&kConfigurations[0], 0, 0});
  REQUIRE(transport);
  CHECK((*transport)->name() == "simulator");
}

TEST_CASE("An empty NESTRT_COMPONENTS counts as not set, and the working directory is not searched") {
  const nestrt::test::TemporaryFolder folder;
  std::ofstream(folder.path() + "/libnestrt_sim.so") << "no library";
  const nestrt::test::WorkingFolder inside(folder.path());
  const ComponentsFolder chosen("");
  CHECK(find_component("sim"));
}

TEST_CASE("Without NESTRT_COMPONENTS, each folder is searched once") {
  const auto component = find_component("absent");
  REQUIRE_FALSE(component);
  std::string folders(component.error().message());
  folders = folders.substr(folders.find("(searched: ") + 11);
  folders = ", " + folders.substr(0, folders.find(')'));
  std::set<std::string> seen;
  for (size_t at = 0, next = 0; at < folders.size(); at = next) {
    next = std::min(folders.find(", ", at + 2), folders.size());
    INFO(folders);
    CHECK(seen.insert(folders.substr(at, next - at)).second);
  }
  CHECK(seen.size() >= 2);
}

TEST_CASE("A missing component is reported with the folder") {
  const nestrt::test::TemporaryFolder folder;
  const ComponentsFolder chosen(folder.path());
  const auto component = find_component("sim");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kUnavailable);
  CHECK(component.error().message().find("libnestrt_sim.so is not installed (searched: " + folder.path()) == 0);
}

TEST_CASE("A file that is not a component is rejected with the system's message") {
  const nestrt::test::TemporaryFolder folder;
  const ComponentsFolder chosen(folder.path());
  std::ofstream(folder.path() + "/libnestrt_sim.so") << "no library";
  const auto component = find_component("sim");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kUnavailable);
  CHECK(component.error().message().find("cannot be loaded") != std::string_view::npos);
}

TEST_CASE("A component that was built against other versions of its libraries is rejected with the remedy") {
  const ComponentsFolder chosen(NESTRT_BINARY_DIR "/test/components");
  const auto component = find_component("unresolved");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kUnavailable);
  CHECK(component.error().message().find("nestrt_function_of_another_version") != std::string_view::npos);
  CHECK(component.error().message().find("build nestrt with this system's SDK") != std::string_view::npos);
}

TEST_CASE("A component that needs a newer libstdc++ is rejected with the version that is missing") {
  const ComponentsFolder chosen(NESTRT_BINARY_DIR "/test/components");
  const auto component = find_component("newer");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kUnavailable);
  CHECK(component.error().message().find("version `GLIBCXX_9.9.99' not found (required by ") != std::string_view::npos);
  CHECK(component.error().message().find("build nestrt with this system's SDK") != std::string_view::npos);
}

TEST_CASE("A library whose entry point returns no component is rejected") {
  const ComponentsFolder chosen(NESTRT_BINARY_DIR "/test/components");
  const auto component = find_component("blank");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kIncompatible);
  CHECK(component.error().message().find("is not a nestrt component") != std::string_view::npos);
}

TEST_CASE("A component of a different version is rejected") {
  const ComponentsFolder chosen(NESTRT_BINARY_DIR "/test/components");
  const auto component = find_component("old");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kIncompatible);
  CHECK(component.error().message().find("belongs to nestrt 0.0.0-old, but this is ") != std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::evta
