// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/sign/sign.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "nestrt/nestrt.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/plan/bit_flips.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

struct Signed {
  SecretKey key = SecretKey::generate();
  test::PlanFile plain = test::branches_plan().build();
  test::PlanFile file{sign_plan(plain.bytes(), key)->span()};
};

LoadOptions trusting(const PublicKey& key, Verification verification = Verification::kTables) {
  LoadOptions options(verification);
  options.trusted_keys = {key};
  return options;
}

std::string reason(const Result<std::shared_ptr<const Plan>>& plan) {
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code() == Code::kInvalidPlan);
  return std::string(plan.error().message());
}

TEST_CASE("A signed plan loads with its signer's key and without a required signature") {
  const Signed plan;
  const auto loaded = Plan::from_memory(plan.file.bytes(), trusting(plan.key.public_key(), Verification::kComplete));
  if (!loaded) FAIL(loaded.error().to_string());
  CHECK((*loaded)->signer() == plan.key.public_key());
  const auto unasked = Plan::from_memory(plan.file.bytes(), Verification::kComplete);
  REQUIRE(unasked);
  CHECK_FALSE((*unasked)->signer());
  CHECK((*unasked)->bytes().size() == plan.file.bytes().size());  // copying a plan keeps its signature
}

TEST_CASE("Plans without a signature, or with another signer's signature, are rejected if a signer is required") {
  const Signed plan;
  const LoadOptions other = trusting(SecretKey::generate().public_key());
  CHECK_THAT(reason(Plan::from_memory(plan.plain.bytes(), other)), Contains("the plan is not signed"));
  CHECK_THAT(reason(Plan::from_memory(plan.file.bytes(), other)), Contains("which is not a trusted key"));
}

TEST_CASE("Changing any bit of a signed plan is detected, with or without recomputed digests") {
  const SecretKey key = SecretKey::generate();
  const LoadOptions options = trusting(key.public_key());
  for (const test::SmallPlan& plan : test::small_plans()) {
    const test::PlanFile file{sign_plan(plan.file.bytes(), key)->span()};
    size_t accepted = 0, num_digest_bits = 0;
    const auto load = [&](const test::PlanFile& flipped, size_t, size_t) {
      accepted += Plan::from_memory(flipped.bytes(), options).has_value();
      test::PlanFile again = flipped;
      again.write_digests();
      if (std::ranges::equal(again.bytes(), file.bytes()))
        ++num_digest_bits;  // the bit belonged to the digests
      else
        accepted += Plan::from_memory(again.bytes(), options).has_value();
    };
    const size_t flips = test::for_each_flipped_bit(file, static_cast<size_t>(test::by_level(49, 7, 1)), load);
    CAPTURE(plan.what, flips, num_digest_bits);
    CHECK(flips > 700);
    CHECK(num_digest_bits > 0);
    CHECK(num_digest_bits <= 192);
    CHECK(accepted == 0);
  }
}

TEST_CASE("A plan changed after signing is rejected even with recomputed digests") {
  const Signed plan;
  test::PlanFile file = plan.file;
  file.mutable_bytes()[file.bytes().size() - sizeof(float) - 128] ^= std::byte{1};  // a weight
  file.write_digests();
  CHECK_THAT(reason(Plan::from_memory(file.bytes(), trusting(plan.key.public_key()))),
             Contains("was modified after signing"));
}

TEST_CASE("A plan that is signed again contains only the last signature") {
  const Signed plan;
  const SecretKey other = SecretKey::generate();
  const auto again = sign_plan(plan.file.bytes(), other);
  REQUIRE(again);
  CHECK(again->span().size() == plan.file.bytes().size());
  CHECK(Plan::from_memory(again->span(), trusting(other.public_key())));
  CHECK_FALSE(Plan::from_memory(again->span(), trusting(plan.key.public_key())));
}

TEST_CASE("A file that is not a plan is not signed") {
  test::PlanFile file = test::relu_plan().build();
  file.mutable_bytes()[100] ^= std::byte{1};
  CHECK_FALSE(sign_plan(file.bytes(), SecretKey::generate()));
}

TEST_CASE("Keys are restored from their files and only the owner can read the secret key") {
  const test::TemporaryFolder folder;
  const SecretKey key = SecretKey::generate();
  const std::string name = folder.path() + "/team";
  REQUIRE(write_key_pair(name, key).ok());
  const auto secret = SecretKey::read(name + ".key");
  const auto open = read_public_key(name + ".pub");
  REQUIRE(secret);
  REQUIRE(open);
  CHECK(secret->seed() == key.seed());
  CHECK(*open == key.public_key());
  CHECK(*parse_public_key(open->to_string()) == *open);
  struct stat info;
  REQUIRE(::stat((name + ".key").c_str(), &info) == 0);
  CHECK((info.st_mode & 077) == 0);
  CHECK(write_key_pair(name, key).code() == Code::kInvalidArgument);
  CHECK(read_public_key(name + ".key").error().code() == Code::kInvalidArgument);
  CHECK(SecretKey::read(name + ".pub").error().code() == Code::kInvalidArgument);
  CHECK(read_public_key(folder.path() + "/none").error().code() == Code::kNotFound);
}

TEST_CASE("A session that requires signed plans rejects one that was loaded without verifying its signature") {
  const Signed plan;
  SessionOptions options;
  options.trusted_keys = {plan.key.public_key()};
  const auto trusted = Plan::from_memory(plan.file.bytes(), trusting(plan.key.public_key()));
  REQUIRE(trusted);
  CHECK(Session::create(*trusted, *open_units(), options));
  const auto unasked = Session::create(*Plan::from_memory(plan.file.bytes()), *open_units(), options);
  REQUIRE_FALSE(unasked);
  CHECK_THAT(std::string(unasked.error().message()), Contains("the session only accepts signed plans"));
}

TEST_CASE("A copied plan does not depend on its file") {
  const Signed plan;
  const test::TemporaryFolder folder;
  const std::string path = folder.write("plan.nest", plan.file.bytes());
  LoadOptions copied(Verification::kComplete);
  copied.copy = true;
  const auto loaded = Plan::map(path, copied);
  REQUIRE(loaded);
  REQUIRE(::truncate(path.c_str(), 10) == 0);
  CHECK(std::ranges::equal((*loaded)->bytes(), plan.file.bytes().first((*loaded)->bytes().size())));
  CHECK(Plan::map(path, copied).error().code() == Code::kInvalidPlan);
}

// Results of loading and running the signed plan through nestrt.h with the trusted `key`.
struct CApiAnswers {
  CApiAnswers(const Signed& signed_plan, const PublicKey& key) {
    nestrt_load_options* load = nullptr;
    nestrt_session_options* run = nullptr;
    REQUIRE(nestrt_load_options_create(&load) == NESTRT_OK);
    REQUIRE(nestrt_session_options_create(&run) == NESTRT_OK);
    REQUIRE(nestrt_load_options_add_trusted_key(load, key.bytes.data()) == NESTRT_OK);
    REQUIRE(nestrt_session_options_add_trusted_key(run, key.bytes.data()) == NESTRT_OK);
    const auto bytes = signed_plan.file.bytes();
    loaded = nestrt_plan_load_memory(bytes.data(), bytes.size(), load, &plan);
    is_signed = nestrt_plan_signer(plan, signer.bytes.data()) == 1;
    created = nestrt_session_create_with(plan, "cpu", 1, run, &session);
    nestrt_session_options_free(run);
    nestrt_load_options_free(load);
  }
  ~CApiAnswers() {
    nestrt_session_free(session);
    nestrt_plan_free(plan);
  }

  nestrt_plan* plan = nullptr;
  nestrt_session* session = nullptr;
  nestrt_code loaded, created;
  bool is_signed;
  PublicKey signer;
};

TEST_CASE("A C program runs only plans that are signed with its key") {
  const Signed plan;
  const CApiAnswers trusted(plan, plan.key.public_key());
  CHECK(trusted.loaded == NESTRT_OK);
  CHECK(trusted.created == NESTRT_OK);
  CHECK(trusted.is_signed);
  CHECK(trusted.signer == plan.key.public_key());
  const CApiAnswers other(plan, SecretKey::generate().public_key());
  CHECK(other.loaded == NESTRT_INVALID_PLAN);
  CHECK_FALSE(other.is_signed);
  CHECK(other.created == NESTRT_INVALID_ARGUMENT);
  CHECK(CApiAnswers(plan, PublicKey()).loaded == NESTRT_INVALID_PLAN);  // the key could not be read
}

}  // namespace
}  // namespace nestrt::compiler
