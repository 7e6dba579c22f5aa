// SPDX-License-Identifier: Apache-2.0
// nestrt_plan, and the trusted keys in load and session options.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "drivers/c_api/call.h"
#include "nestrt/nestrt.h"
#include "nestrt/plan.h"

struct nestrt_plan {
  std::shared_ptr<const nestrt::Plan> plan;
};

namespace nestrt::c_api {

static_assert(sizeof(PublicKey::bytes) == NESTRT_PUBLIC_KEY_BYTES);

// Adds a trusted key. `options` is an opaque struct that contains the C++ options as `value`.
template <typename Options>
Status add_trusted_key(Options* options, const uint8_t* key) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  NESTRT_RETURN_IF_ERROR(expect_argument(key, "key"));
  std::copy_n(key, NESTRT_PUBLIC_KEY_BYTES, options->value.trusted_keys.emplace_back().bytes.begin());
  return {};
}

}  // namespace nestrt::c_api
