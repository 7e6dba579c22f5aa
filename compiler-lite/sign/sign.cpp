// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/sign/sign.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "nestrt/plan.h"
#include "runtime/core/key_file.h"
#include "runtime/plan/format/digest.h"
#include "runtime/plan/format/signature.h"
#include "runtime/text/hexadecimal.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

using plan_format::Header;
using plan_format::SignatureBlock;

struct SecretBytes {
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> bytes{};
  ~SecretBytes() { sodium_memzero(bytes.data(), bytes.size()); }
};

PublicKey expand(const std::array<uint8_t, 32>& seed, SecretBytes& secret) {
  PublicKey key;
  crypto_sign_seed_keypair(key.bytes.data(), secret.bytes.data(), seed.data());
  return key;
}

Header header_of(std::span<const std::byte> file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

Status write_key(const std::string& path, std::string_view kind, std::span<const uint8_t> key, mode_t rights) {
  const std::string text = fmt::format("{} {}\n", kind, to_hexadecimal(key));
  return tools::write_file(path, std::as_bytes(std::span(text)), rights);
}

}  // namespace

SecretKey::~SecretKey() { sodium_memzero(seed_.data(), seed_.size()); }

SecretKey SecretKey::generate() {
  SecretKey key;
  randombytes_buf(key.seed_.data(), key.seed_.size());
  return key;
}

Result<SecretKey> SecretKey::read(const std::string& path) {
  SecretKey key;
  NESTRT_RETURN_IF_ERROR(read_key_file(path, kSecretKey, key.seed_));
  return key;
}

PublicKey SecretKey::public_key() const {
  SecretBytes secret;
  return expand(seed_, secret);
}

std::array<uint8_t, 64> SecretKey::sign(std::span<const std::byte> bytes) const {
  SecretBytes secret;
  expand(seed_, secret);
  std::array<uint8_t, 64> signature{};
  crypto_sign_state state;
  crypto_sign_init(&state);
  crypto_sign_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  crypto_sign_final_create(&state, signature.data(), nullptr, secret.bytes.data());
  return signature;
}

Status write_key_pair(const std::string& name, const SecretKey& key) {
  if (std::filesystem::path(name).filename().empty())
    return Status(Code::kInvalidArgument, fmt::format("'{}' does not end in a file name for the keys", name));
  const std::string secret = name + ".key", open = name + ".pub";
  for (const std::string& path : {secret, open}) {
    std::error_code error;
    const auto kind = std::filesystem::symlink_status(path, error).type();
    if (kind == std::filesystem::file_type::none)
      return Status(Code::kIo, fmt::format("cannot write '{}': {}", path, error.message()));
    if (kind != std::filesystem::file_type::not_found)
      return Status(Code::kInvalidArgument, fmt::format("'{}' exists; keys are never overwritten", path));
  }
  NESTRT_RETURN_IF_ERROR(write_key(secret, kSecretKey, key.seed(), 0600));
  const Status status = write_key(open, kPublicKey, key.public_key().bytes, 0644);
  std::error_code ignored;
  if (!status.ok()) std::filesystem::remove(secret, ignored);  // keep either both files or neither
  return status;
}

Result<PlanBytes> sign_plan(std::span<const std::byte> file, const SecretKey& key) {
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::from_memory(file, Verification::kComplete));
  Header header = header_of(file);
  header.features |= plan_format::kFeatureSigned;
  const size_t bytes = header.data_offset + header.data_bytes;  // excludes an existing signature
  PlanBytes result(bytes + sizeof(SignatureBlock));
  std::memcpy(result.data(), file.data(), bytes);
  std::memcpy(result.data(), &header, sizeof header);
  plan_format::write_digests({result.data(), bytes});
  SignatureBlock block{};
  std::copy_n(plan_format::kSignatureMagic, sizeof block.magic, block.magic);
  std::ranges::copy(key.public_key().bytes, block.public_key);
  std::ranges::copy(key.sign(result.span().first(bytes)), block.signature);
  std::memcpy(result.data() + bytes, &block, sizeof block);
  return result;
}

}  // namespace nestrt::compiler
