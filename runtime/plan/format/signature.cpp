// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/signature.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>

namespace nestrt::plan_format {

static_assert(sizeof(PublicKey::bytes) == crypto_sign_PUBLICKEYBYTES);
static_assert(sizeof(SignatureBlock::signature) == crypto_sign_BYTES);

Status verify_signature(std::span<const std::byte> bytes, const SignatureBlock& block,
                        std::span<const PublicKey> trusted) {
  PublicKey key;
  std::copy_n(block.public_key, key.bytes.size(), key.bytes.begin());
  if (std::memcmp(block.magic, kSignatureMagic, sizeof block.magic) != 0 ||
      std::any_of(std::begin(block.reserved), std::end(block.reserved), [](uint8_t byte) { return byte != 0; }))
    return Status(Code::kInvalidPlan, "the plan's signature is damaged; copy the file again");
  if (std::find(trusted.begin(), trusted.end(), key) == trusted.end())
    return Status(Code::kInvalidPlan,
                  fmt::format("the plan is signed with key {}, which is not a trusted key", key.to_string()));
  crypto_sign_state state;
  crypto_sign_init(&state);
  crypto_sign_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  if (crypto_sign_final_verify(&state, block.signature, key.bytes.data()) == 0) return {};
  return Status(Code::kInvalidPlan,
                fmt::format("the plan does not match its signature with key {}: it was modified after signing; "
                            "get the signed file again",
                            key.to_string()));
}

}  // namespace nestrt::plan_format
