// SPDX-License-Identifier: Apache-2.0
// Converts the bytes of a file to a verified Plan.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "nestrt/plan.h"
#include "runtime/plan/format/decode.h"
#include "runtime/plan/format/digest.h"
#include "runtime/plan/format/file_bytes.h"
#include "runtime/plan/format/format.h"
#include "runtime/plan/format/image_channels.h"
#include "runtime/plan/format/signature.h"
#include "runtime/plan/plan_state.h"
#include "runtime/plan/verify/verify.h"
#include "runtime/platform/aligned_memory.h"
#include "runtime/platform/guard.h"

namespace nestrt {

static_assert(std::endian::native == std::endian::little, "plans are little-endian and used in place");
namespace {

using plan_format::Header;
using plan_format::SignatureBlock;

// FlatBuffers offsets are signed 32-bit numbers.
constexpr uint64_t kMaxTablesBytes = (uint64_t{1} << 31) - 2;

Status check_identity(const Header& header) {
  if (std::memcmp(header.magic, plan_format::kMagic, sizeof header.magic) != 0)
    return Status(Code::kInvalidPlan, "this is not a plan; compile the model with nestc");
  using plan_format::kOldestMinor, plan_format::kVersionMajor, plan_format::kVersionMinor;
  static_assert(kVersionMajor == 0);  // from 1.0 on every minor version is accepted
  if (header.version_major != kVersionMajor || header.version_minor < kOldestMinor ||
      header.version_minor > kVersionMinor)
    return Status(
        Code::kIncompatible,
        fmt::format("the plan has format version {}.{}, but this nestrt reads versions {}.{} to {}.{}; recompile "
                    "the model with this version's nestc",
                    header.version_major, header.version_minor, kVersionMajor, kOldestMinor, kVersionMajor,
                    kVersionMinor));
  if (const uint32_t unknown = header.features & ~plan_format::kKnownFeatures; unknown != 0)
    return Status(
        Code::kIncompatible,
        fmt::format(
            "the plan uses features (bits {}) that this nestrt does not support; update nestrt or recompile the model",
            unknown));
  return {};
}

uint64_t signature_bytes(const Header& header) {
  return (header.features & plan_format::kFeatureSigned) != 0 ? sizeof(SignatureBlock) : 0;
}

Status check_sizes(const Header& header, uint64_t file_bytes) {
  if (header.tables_bytes > kMaxTablesBytes)
    return damaged_plan(fmt::format("header: tables of {} bytes exceed the format's limit", header.tables_bytes));
  if (header.data_offset != align_up(sizeof(Header) + header.tables_bytes, plan_format::kDataAlignment))
    return damaged_plan(fmt::format("header: tables of {} bytes do not end at the data area, which starts at {}",
                                    header.tables_bytes, header.data_offset));
  const uint64_t after_data = signature_bytes(header);
  if (file_bytes < after_data || header.data_offset > file_bytes - after_data ||
      header.data_bytes != file_bytes - after_data - header.data_offset)
    return damaged_plan(fmt::format(
        "header: the plan has {} bytes of data starting at byte {}{}, but the file has {} bytes", header.data_bytes,
        header.data_offset, after_data == 0 ? "" : fmt::format(" and {} bytes of signature", after_data), file_bytes));
  return {};
}

Result<Header> read_header(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Header))
    return damaged_plan(fmt::format("the file has {} bytes, fewer than a plan's header", bytes.size()));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  NESTRT_RETURN_IF_ERROR(check_identity(header));
  NESTRT_RETURN_IF_ERROR(check_sizes(header, bytes.size()));
  return header;
}

Status check_digests(const Header& header, std::span<const std::byte> bytes, bool is_mapped,
                     Verification verification) {
  if (plan_format::tables_digest(bytes) != header.tables_digest)
    return damaged_plan("the tables do not match their digest");
  if (verification != Verification::kComplete) return {};
  const plan_format::ContentDigest content =
      is_mapped ? plan_format::content_digest_of_mapping(bytes) : plan_format::content_digest(bytes);
  if (content.low != header.content_digest[0] || content.high != header.content_digest[1])
    return damaged_plan("the content does not match its digest");
  return {};
}

// Returns the key that signed `bytes`, if trusted keys are given. `block` is the part of the file after `bytes`.
Result<std::optional<PublicKey>> signer_of(std::span<const std::byte> bytes, std::span<const std::byte> block,
                                           const LoadOptions& options) {
  if (options.trusted_keys.empty()) return std::optional<PublicKey>();
  if (block.empty())
    return Status(Code::kInvalidPlan,
                  "the plan is not signed, but a trusted signature is required; sign it: nestc sign PLAN --key KEY");
  SignatureBlock signature;
  std::memcpy(&signature, block.data(), sizeof signature);
  NESTRT_RETURN_IF_ERROR(plan_format::verify_signature(bytes, signature, options.trusted_keys));
  std::optional<PublicKey> key(std::in_place);
  std::copy_n(signature.public_key, key->bytes.size(), key->bytes.begin());
  return key;
}

TensorInfo info_of(const plan::Tensor& tensor) { return {tensor.name, tensor.type, tensor.shape}; }

// Expands mean and scale to one value per channel.
std::optional<Preprocessing> completed(std::optional<Preprocessing> preprocessing, const Shape& shape) {
  if (!preprocessing) return std::nullopt;
  const auto channels = static_cast<size_t>(shape[image_channels_axis(shape)]);
  preprocessing->mean.resize(channels, 0.0f);
  preprocessing->scale.resize(channels, 1.0f);
  return preprocessing;
}

}  // namespace

class PlanReader {
 public:
  static Result<std::shared_ptr<const Plan>> read(FileBytes opened, const LoadOptions& options) {
    const std::span<const std::byte> file = opened.bytes;
    if (reinterpret_cast<uintptr_t>(file.data()) % plan_format::kSegmentAlignment != 0)
      return Status(Code::kInvalidArgument, "the memory of a plan must be aligned to 64 bytes");
    NESTRT_ASSIGN_OR_RETURN(const Header header, read_header(file));
    const std::span<const std::byte> bytes = file.first(file.size() - signature_bytes(header));
    NESTRT_ASSIGN_OR_RETURN(const auto signer, signer_of(bytes, file.subspan(bytes.size()), options));
    NESTRT_RETURN_IF_ERROR(check_digests(header, bytes, opened.is_mapped, options.verification));
    NESTRT_ASSIGN_OR_RETURN(plan::Tables tables, decode_tables(bytes.subspan(sizeof(Header), header.tables_bytes)));
    NESTRT_RETURN_IF_ERROR(verify_plan(tables, bytes.subspan(header.data_offset)));
    if (options.verification == Verification::kComplete) NESTRT_RETURN_IF_ERROR(verify_any_schedules(tables));

    Plan::State common;
    common.bytes = file;
    common.data = bytes.subspan(header.data_offset);
    common.owner = std::move(opened.owner);
    common.signer = signer;
    return plan_of(std::move(common), std::make_shared<const plan::Tables>(std::move(tables)));
  }

 private:
  static Status verify_any_schedules(const plan::Tables& tables) {
    NESTRT_RETURN_IF_ERROR(verify_any_schedule(tables));
    for (const plan::Tables& shape : tables.shapes) NESTRT_RETURN_IF_ERROR(verify_any_schedule(shape));
    return {};
  }

  // `common`: the state shared by the plans of all shapes.
  static std::shared_ptr<const Plan> plan_of(Plan::State common, std::shared_ptr<const plan::Tables> tables) {
    Plan::State first = with_tables(common, tables);
    if (!tables->shapes.empty()) first.shapes.push_back(make_plan(with_tables(common, tables)));
    for (const plan::Tables& shape : tables->shapes) {
      Plan::State other = with_tables(common, {tables, &shape});
      other.shape_index = static_cast<uint32_t>(first.shapes.size());
      first.shapes.push_back(make_plan(std::move(other)));
    }
    return make_plan(std::move(first));
  }

  static std::shared_ptr<const Plan> make_plan(Plan::State state) {
    return std::shared_ptr<const Plan>(new Plan(std::make_unique<const Plan::State>(std::move(state))));
  }

  static Plan::State with_tables(Plan::State state, std::shared_ptr<const plan::Tables> tables) {
    for (const plan::Input& input : tables->inputs) {
      state.inputs.push_back(info_of(tables->tensors[input.tensor]));
      state.preprocessing.push_back(completed(input.preprocessing, state.inputs.back().shape));
    }
    for (uint32_t tensor : tables->outputs) state.outputs.push_back(info_of(tables->tensors[tensor]));
    state.tables = std::move(tables);
    return state;
  }
};

namespace {

FileAccess access_of(const LoadOptions& options) {
  return options.copy || !options.trusted_keys.empty() ? FileAccess::kCopy : FileAccess::kMap;
}

}  // namespace

Result<std::shared_ptr<const Plan>> Plan::map(const std::string& path, const LoadOptions& options) {
  return guarded([&]() -> Result<std::shared_ptr<const Plan>> {
    Result<FileBytes> file = open_file(path, access_of(options));
    if (!file) return file.error().with_context(path);
    auto plan = PlanReader::read(std::move(*file), options);
    if (!plan) return plan.error().with_context(path);
    return plan;
  });
}

Result<std::shared_ptr<const Plan>> Plan::map_descriptor(int descriptor, const LoadOptions& options) {
  return guarded([&]() -> Result<std::shared_ptr<const Plan>> {
    NESTRT_ASSIGN_OR_RETURN(FileBytes file, read_descriptor(descriptor, access_of(options)));
    return PlanReader::read(std::move(file), options);
  });
}

Result<std::shared_ptr<const Plan>> Plan::from_memory(std::span<const std::byte> bytes, const LoadOptions& options) {
  return guarded([&] { return PlanReader::read({nullptr, bytes, false}, options); });
}

}  // namespace nestrt
