// SPDX-License-Identifier: Apache-2.0
// The plan functions of the C API: options, keys and loading.
#include <fmt/core.h>

#include <memory>

#include "drivers/c_api/call.h"
#include "drivers/c_api/plan.h"
#include "nestrt/public_key.h"

struct nestrt_load_options {
  nestrt::LoadOptions value;
};

namespace {

using nestrt::Code;
using nestrt::LoadOptions;
using nestrt::Plan;
using nestrt::PublicKey;
using nestrt::Result;
using nestrt::Status;
using nestrt::c_api::call;
using nestrt::c_api::expect_argument;

static_assert(NESTRT_VERIFY_TABLES == static_cast<int>(nestrt::Verification::kTables) &&
              NESTRT_VERIFY_COMPLETE == static_cast<int>(nestrt::Verification::kComplete));

// Sets `key` with `read`, which converts text to Result<PublicKey>. On failure the key is zero, which no signature
// matches.
template <typename Read>
Status make_key(const char* text, std::string_view name, uint8_t* key, Read read) {
  NESTRT_RETURN_IF_ERROR(expect_argument(key, "key"));
  std::fill_n(key, NESTRT_PUBLIC_KEY_BYTES, uint8_t{0});
  NESTRT_RETURN_IF_ERROR(expect_argument(text, name));
  NESTRT_ASSIGN_OR_RETURN(const PublicKey made, read(text));
  std::ranges::copy(made.bytes, key);
  return {};
}

Status create(nestrt_load_options** options) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  *options = nullptr;
  auto made = std::make_unique<nestrt_load_options>();
  made->value.trusted_keys.reserve(1);  // adding the first key, which enables the check, must not fail
  *options = made.release();
  return {};
}

Status set_verification(nestrt_load_options* options, nestrt_verification verification) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  if (verification != NESTRT_VERIFY_TABLES && verification != NESTRT_VERIFY_COMPLETE)
    return Status(
        Code::kInvalidArgument,
        fmt::format("invalid verification {}: expected NESTRT_VERIFY_TABLES or NESTRT_VERIFY_COMPLETE", verification));
  options->value.verification = static_cast<nestrt::Verification>(verification);
  return {};
}

Status set_copy(nestrt_load_options* options, bool copy) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  options->value.copy = copy;
  return {};
}

// Loads a plan with `from`, which converts LoadOptions to Result<shared_ptr<const Plan>>.
template <typename From>
Status load(const nestrt_load_options* options, nestrt_plan** plan, From from) {
  NESTRT_RETURN_IF_ERROR(expect_argument(plan, "plan"));
  *plan = nullptr;
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> loaded, from(options->value));
  *plan = new nestrt_plan{std::move(loaded)};
  return {};
}

Status load_file(const char* path, const nestrt_load_options* options, nestrt_plan** plan) {
  return load(options, plan, [path](const LoadOptions& stated) -> Result<std::shared_ptr<const Plan>> {
    NESTRT_RETURN_IF_ERROR(expect_argument(path, "path"));
    return Plan::map(path, stated);
  });
}

Status load_memory(const void* bytes, size_t size, const nestrt_load_options* options, nestrt_plan** plan) {
  return load(options, plan, [bytes, size](const LoadOptions& stated) -> Result<std::shared_ptr<const Plan>> {
    NESTRT_RETURN_IF_ERROR(expect_argument(bytes, "bytes"));
    return Plan::from_memory({static_cast<const std::byte*>(bytes), size}, stated);
  });
}

}  // namespace

extern "C" {

nestrt_code nestrt_public_key_parse(const char* text, uint8_t* key) {
  return call([&] { return make_key(text, "text", key, nestrt::parse_public_key); });
}
nestrt_code nestrt_public_key_read(const char* path, uint8_t* key) {
  return call([&] { return make_key(path, "path", key, nestrt::read_public_key); });
}

nestrt_code nestrt_load_options_create(nestrt_load_options** options) {
  return call([&] { return create(options); });
}
void nestrt_load_options_free(nestrt_load_options* options) { delete options; }
nestrt_code nestrt_load_options_set_verification(nestrt_load_options* options, nestrt_verification verification) {
  return call([&] { return set_verification(options, verification); });
}
nestrt_code nestrt_load_options_set_copy(nestrt_load_options* options, int32_t copy) {
  return call([&] { return set_copy(options, copy != 0); });
}
nestrt_code nestrt_load_options_add_trusted_key(nestrt_load_options* options, const uint8_t* key) {
  return call([&] { return nestrt::c_api::add_trusted_key(options, key); });
}

nestrt_code nestrt_plan_load(const char* path, nestrt_plan** plan) {
  return call([&] {
    const nestrt_load_options defaults;
    return load_file(path, &defaults, plan);
  });
}
nestrt_code nestrt_plan_load_with(const char* path, const nestrt_load_options* options, nestrt_plan** plan) {
  return call([&] { return load_file(path, options, plan); });
}
nestrt_code nestrt_plan_load_descriptor(int descriptor, const nestrt_load_options* options, nestrt_plan** plan) {
  const auto from = [descriptor](const LoadOptions& stated) { return Plan::map_descriptor(descriptor, stated); };
  return call([&] { return load(options, plan, from); });
}
nestrt_code nestrt_plan_load_memory(const void* bytes, size_t size, const nestrt_load_options* options,
                                    nestrt_plan** plan) {
  return call([&] { return load_memory(bytes, size, options, plan); });
}
void nestrt_plan_free(nestrt_plan* plan) { delete plan; }

int32_t nestrt_plan_signer(const nestrt_plan* plan, uint8_t* key) {
  if (plan == nullptr || key == nullptr || !plan->plan->signer()) return 0;
  std::ranges::copy(plan->plan->signer()->bytes, key);
  return 1;
}

}  // extern "C"
