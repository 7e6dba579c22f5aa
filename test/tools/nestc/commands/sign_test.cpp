// SPDX-License-Identifier: Apache-2.0
// Tests nestc keygen, nestc sign and nestrt verify --key on the command line.
#include <catch2/catch.hpp>
#include <filesystem>

#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

void expect(const std::string& program, const std::vector<std::string>& arguments, int exit_code,
            const std::string& part) {
  const ProgramResult result = run_program(program, arguments);
  INFO(result.text);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(part));
}

TEST_CASE("A signed plan is accepted only with the key of its signer") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", branches_plan().build().bytes());
  const std::string team = folder.path() + "/team", other = folder.path() + "/other";
  expect("nestc", {"keygen", team}, 0, "team.key: keep it");
  expect("nestc", {"keygen", other}, 0, "other.pub: copy it to the boards");
  expect("nestc", {"keygen", team}, 2, "exists; keys are never overwritten");
  expect("nestrt", {"verify", plan, "--key", team + ".pub"}, 2, "the plan is not signed");
  expect("nestc", {"sign", plan, "--key", team + ".pub"}, 2, "nestrt-secret-key");
  expect("nestc", {"sign", plan, "--key", team + ".key", "-o", team + ".key"}, 2, "would overwrite the input");
  expect("nestc", {"sign", plan, "--key", team + ".key", "-o", team + ".pub"}, 2, "would overwrite the input");
  expect("nestc", {"sign", plan, "--key", team + ".key"}, 0, "signed with key");
  expect("nestrt", {"verify", plan, "--key", team + ".pub"}, 0, "signed     with key");
  expect("nestrt", {"verify", plan, "--key", other + ".pub", "--key", team + ".pub"}, 0, "is valid");
  expect("nestrt", {"verify", plan, "--key", other + ".pub"}, 2, "which is not a trusted key");
  expect("nestrt", {"verify", plan, "--copy"}, 0, "is valid");
}

TEST_CASE("Signing again replaces the signature") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", branches_plan().build().bytes());
  const std::string retired = folder.path() + "/retired", next = folder.path() + "/next";
  for (const std::string& name : {retired, next}) {
    expect("nestc", {"keygen", name}, 0, "keep it");
    expect("nestc", {"sign", plan, "--key", name + ".key"}, 0, "signed with key");
    expect("nestrt", {"verify", plan, "--key", name + ".pub"}, 0, "is valid");
  }
  expect("nestrt", {"verify", plan, "--key", retired + ".pub"}, 2, "which is not a trusted key");
}

TEST_CASE("Keys without a name are rejected and not written") {
  const TemporaryFolder folder;
  for (const std::string& name : {std::string(), std::string("/"), folder.path() + "/"})
    expect("nestc", {"keygen", name}, 2, "does not end in a file name");
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK_FALSE(std::filesystem::exists(".key"));
}

}  // namespace
}  // namespace nestrt::test
