// Signing of plans: Ed25519ph (RFC 8032), with libsodium. A plan is signed as it is; the signature follows its data
// (runtime/plan/format/signature.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "compiler-lite/emit/plan_bytes.h"
#include "nestrt/public_key.h"

namespace nestrt::compiler {

// The secret half of a pair of keys, as the seed that both follow from. Wiped when it goes.
class SecretKey {
 public:
  // From the system's source of randomness.
  static SecretKey generate();
  // As written by write_key_pair(). Errors: kNotFound, kIo, kInvalidArgument.
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

// `name`.key, which only its owner may read, and `name`.pub. Errors: kInvalidArgument where one of them exists, or
// the name ends in "/" or is empty; kIo.
Status write_key_pair(const std::string& name, const SecretKey& key);

// The plan with a signature; one that it had is replaced. Errors: kInvalidPlan, kIncompatible where `file` is none that
// this nestc could load.
Result<PlanBytes> sign_plan(std::span<const std::byte> file, const SecretKey& key);

}  // namespace nestrt::compiler
