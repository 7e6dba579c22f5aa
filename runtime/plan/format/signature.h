// SPDX-License-Identifier: Apache-2.0
// The signature of a plan: a block after its data area that covers all previous bytes. Header.features indicates
// whether it exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nestrt/public_key.h"
#include "nestrt/status.h"

namespace nestrt::plan_format {

struct SignatureBlock {
  char magic[8];
  uint8_t reserved[24];  // zeros
  uint8_t public_key[32];
  uint8_t signature[64];  // Ed25519ph of the bytes before the block
};
static_assert(sizeof(SignatureBlock) == 128);

inline constexpr char kSignatureMagic[8] = {'N', 'E', 'S', 'T', 'S', 'I', 'G', 'N'};

// Verifies that the block is a signature over `bytes` made with one of the `trusted` keys. Errors: kInvalidPlan.
Status verify_signature(std::span<const std::byte> bytes, const SignatureBlock& block,
                        std::span<const PublicKey> trusted);

}  // namespace nestrt::plan_format
