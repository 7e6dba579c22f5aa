// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "nestrt/nestrt.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

struct LoadOptionsOwner {
  LoadOptionsOwner() { REQUIRE(nestrt_load_options_create(&options) == NESTRT_OK); }
  ~LoadOptionsOwner() { nestrt_load_options_free(options); }
  nestrt_load_options* options = nullptr;
};

struct LoadedPlan {
  ~LoadedPlan() { nestrt_plan_free(plan); }
  nestrt_plan* plan = nullptr;
};

constexpr uint8_t kSomeKey[NESTRT_PUBLIC_KEY_BYTES] = {1, 2, 3};

bool computes_relu(const nestrt_plan* plan) {
  nestrt_session* session = nullptr;
  REQUIRE(nestrt_session_create(plan, "cpu", 1, &session) == NESTRT_OK);
  const float x[6] = {-1, 2, -3, 4, -5, 6};
  float y[6] = {};
  const void* const inputs[] = {x};
  void* const outputs[] = {y};
  const size_t bytes = sizeof x;
  const nestrt_code code = nestrt_session_run(session, inputs, &bytes, outputs, &bytes);
  nestrt_session_free(session);
  const float expected[6] = {0, 2, 0, 4, 0, 6};
  return code == NESTRT_OK && std::equal(y, y + 6, expected);
}

TEST_CASE("A C program loads a plan with options from a file, from an open file and from memory") {
  const TemporaryFolder folder;
  const PlanFile file = relu_plan().build();
  const std::string path = folder.write("relu.nest", file.bytes());
  const LoadOptionsOwner with;
  REQUIRE(nestrt_load_options_set_verification(with.options, NESTRT_VERIFY_COMPLETE) == NESTRT_OK);

  LoadedPlan mapped, open, memory;
  REQUIRE(nestrt_plan_load_with(path.c_str(), with.options, &mapped.plan) == NESTRT_OK);
  CHECK(computes_relu(mapped.plan));
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  REQUIRE(nestrt_plan_load_descriptor(descriptor, with.options, &open.plan) == NESTRT_OK);
  ::close(descriptor);
  CHECK(computes_relu(open.plan));
  REQUIRE(nestrt_plan_load_memory(file.bytes().data(), file.bytes().size(), with.options, &memory.plan) == NESTRT_OK);
  CHECK(computes_relu(memory.plan));
  uint8_t key[NESTRT_PUBLIC_KEY_BYTES];
  CHECK(nestrt_plan_signer(memory.plan, key) == 0);
}

TEST_CASE("A plan that a C program loads as a copy does not depend on its file") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  const LoadOptionsOwner with;
  REQUIRE(nestrt_load_options_set_copy(with.options, 1) == NESTRT_OK);
  LoadedPlan copied;
  REQUIRE(nestrt_plan_load_with(path.c_str(), with.options, &copied.plan) == NESTRT_OK);
  std::filesystem::resize_file(path, 0);
  CHECK(computes_relu(copied.plan));
}

TEST_CASE("Complete verification in the C API detects a damaged weight") {
  PlanFile file = branches_plan().build();
  file.mutable_bytes().back() ^= std::byte{1};
  const LoadOptionsOwner tables, complete;
  REQUIRE(nestrt_load_options_set_verification(complete.options, NESTRT_VERIFY_COMPLETE) == NESTRT_OK);
  LoadedPlan accepted, refused;
  const auto bytes = file.bytes();
  CHECK(nestrt_plan_load_memory(bytes.data(), bytes.size(), tables.options, &accepted.plan) == NESTRT_OK);
  CHECK(nestrt_plan_load_memory(bytes.data(), bytes.size(), complete.options, &refused.plan) == NESTRT_INVALID_PLAN);
  CHECK(refused.plan == nullptr);
}

TEST_CASE("A C program that trusts a key cannot load unsigned plans from any source") {
  const TemporaryFolder folder;
  const PlanFile file = relu_plan().build();
  const std::string path = folder.write("relu.nest", file.bytes());
  const LoadOptionsOwner with;
  REQUIRE(nestrt_load_options_add_trusted_key(with.options, kSomeKey) == NESTRT_OK);
  LoadedPlan refused;
  CHECK(nestrt_plan_load_with(path.c_str(), with.options, &refused.plan) == NESTRT_INVALID_PLAN);
  CHECK_THAT(nestrt_last_error(), Contains("the plan is not signed"));
  const auto bytes = file.bytes();
  CHECK(nestrt_plan_load_memory(bytes.data(), bytes.size(), with.options, &refused.plan) == NESTRT_INVALID_PLAN);
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  CHECK(nestrt_plan_load_descriptor(descriptor, with.options, &refused.plan) == NESTRT_INVALID_PLAN);
  ::close(descriptor);
  CHECK(refused.plan == nullptr);
}

TEST_CASE("A C program's session rejects plans that were not verified with its keys") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  LoadedPlan plain;
  REQUIRE(nestrt_plan_load(path.c_str(), &plain.plan) == NESTRT_OK);
  nestrt_session_options* options = nullptr;
  nestrt_session* session = nullptr;
  REQUIRE(nestrt_session_options_create(&options) == NESTRT_OK);
  CHECK(nestrt_session_create_with(plain.plan, "cpu", 1, options, &session) == NESTRT_OK);
  nestrt_session_free(session);
  REQUIRE(nestrt_session_options_add_trusted_key(options, kSomeKey) == NESTRT_OK);
  CHECK(nestrt_session_create_with(plain.plan, "cpu", 1, options, &session) == NESTRT_INVALID_PLAN);
  CHECK(session == nullptr);
  nestrt_session_options_free(options);
}

TEST_CASE("Missing options and sources are rejected without loading anything") {
  const LoadOptionsOwner with;
  const PlanFile file = relu_plan().build();
  const auto bytes = file.bytes();
  nestrt_session* session = nullptr;
  LoadedPlan none;
  CHECK(nestrt_load_options_create(nullptr) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_load_options_set_copy(nullptr, 1) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_load_options_set_verification(nullptr, NESTRT_VERIFY_COMPLETE) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_load_options_set_verification(with.options, 2) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_load_options_add_trusted_key(nullptr, kSomeKey) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_load_options_add_trusted_key(with.options, nullptr) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_memory(bytes.data(), bytes.size(), nullptr, &none.plan) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_memory(bytes.data(), bytes.size(), with.options, nullptr) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_memory(nullptr, 0, with.options, &none.plan) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_memory(bytes.data() + 1, 8, with.options, &none.plan) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_with(nullptr, with.options, &none.plan) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_with("relu.nest", nullptr, &none.plan) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_load_descriptor(-1, with.options, &none.plan) != NESTRT_OK);
  CHECK(none.plan == nullptr);
  CHECK(nestrt_session_options_create(nullptr) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_session_options_add_trusted_key(nullptr, kSomeKey) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_session_create_with(none.plan, "cpu", 1, nullptr, &session) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_plan_signer(nullptr, nullptr) == 0);
  nestrt_load_options_free(nullptr);
  nestrt_session_options_free(nullptr);
}

TEST_CASE("Keys are parsed from digits and files and are zeroed on failure") {
  const TemporaryFolder folder;
  const std::string digits = "95" + std::string(60, '0') + "ef";
  uint8_t parsed[NESTRT_PUBLIC_KEY_BYTES], read[NESTRT_PUBLIC_KEY_BYTES];
  REQUIRE(nestrt_public_key_parse(digits.c_str(), parsed) == NESTRT_OK);
  CHECK(parsed[0] == 0x95);
  CHECK(parsed[31] == 0xef);
  const std::string path = folder.write_text("team.pub", "nestrt-public-key " + digits + "\n");
  REQUIRE(nestrt_public_key_read(path.c_str(), read) == NESTRT_OK);
  CHECK(std::ranges::equal(parsed, read));

  CHECK(nestrt_public_key_parse("95ef", parsed) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_public_key_read("/nonexistent.pub", read) == NESTRT_NOT_FOUND);
  for (const auto& key : {parsed, read}) CHECK(std::count(key, key + NESTRT_PUBLIC_KEY_BYTES, 0) == 32);
  CHECK(nestrt_public_key_parse(nullptr, parsed) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_public_key_read(path.c_str(), nullptr) == NESTRT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nestrt::test
