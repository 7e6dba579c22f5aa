// SPDX-License-Identifier: Apache-2.0
// Signs plans with Ed25519ph (RFC 8032), using libsodium. The signature covers the plan unchanged and follows its data
// (runtime/plan/format/signature.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "compiler-lite/emit/plan_bytes.h"
#include "nestrt/public_key.h"

namespace nestrt::compiler {

// The secret key, stored as the seed of the key pair. Erased by the destructor.
class SecretKey {
 public:
  // Uses the system's random number generator.
  static SecretKey generate();
  // Reads a key file that write_key_pair() has written. Errors: kNotFound, kIo, kInvalidArgument.
  static Result<SecretKey> read(const std::string& path);

  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  PublicKey public_key() const;
  std::array<uint8_t, 64> sign(std::span<const std::byte> bytes) const;
  const std::array<uint8_t, 32>& seed() const { return seed_; }

 private:
  SecretKey() = default;
  std::array<uint8_t, 32> seed_{};
};

// Writes `name`.key, readable only by its owner, and `name`.pub. Errors: kInvalidArgument if a file exists, or if the
// name is empty or ends in "/"; kIo.
Status write_key_pair(const std::string& name, const SecretKey& key);

// Returns the plan with a signature, which replaces an existing one. Errors: kInvalidPlan or kIncompatible if this
// nestc cannot load `file`.
Result<PlanBytes> sign_plan(std::span<const std::byte> file, const SecretKey& key);

}  // namespace nestrt::compiler
