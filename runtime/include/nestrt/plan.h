// Plan: a compiled network, mapped from a .nest file and verified.
//
// The file's bytes are used in place: weights are read from the mapping when kernels touch them. A Plan is
// immutable and may be shared by any number of sessions and threads; sessions keep it alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/visibility.h"
#include "nestrt/preprocessing.h"
#include "nestrt/public_key.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"

namespace NESTRT_PUBLIC nestrt {

namespace plan {
struct Tables;  // nestrt/driver/plan_tables.h
}

enum class Verification {
  kTables,    // header, digest of the tables, every index, size, type and alignment: linear in the tables
  kComplete,  // and the digest of everything (linear in the file), and the memory plan for any schedule
};

struct LoadOptions {
  LoadOptions(Verification wanted = Verification::kTables) : verification(wanted) {}  // NOLINT: implicit by design

  Verification verification;
  // The file is read into memory of the plan's own instead of being mapped. A file that is changed in place changes the
  // weights of a mapped plan, and one that is cut short ends the process by SIGBUS where they are read.
  bool copy = false;
  // Where there are any, the plan must be signed with one of them. It is copied then, so that what runs is what was
  // signed.
  std::vector<PublicKey> trusted_keys = {};
};

class Plan {
 public:
  // Maps and verifies a file. Errors: kNotFound, kIo, kInvalidPlan, kIncompatible, kOutOfMemory.
  static Result<std::shared_ptr<const Plan>> map(const std::string& path, const LoadOptions& options = {});
  // The same for an open file, which stays the caller's and may be closed afterwards.
  static Result<std::shared_ptr<const Plan>> map_descriptor(int descriptor, const LoadOptions& options = {});
  // The same over memory that the caller keeps alive and unchanged; must be aligned to 64 bytes. Is never copied.
  static Result<std::shared_ptr<const Plan>> from_memory(std::span<const std::byte> bytes,
                                                         const LoadOptions& options = {});
  ~Plan();
  Plan& operator=(const Plan&) = delete;

  // Of the first shape, where the plan has several.
  std::span<const TensorInfo> inputs() const { return inputs_; }
  std::span<const TensorInfo> outputs() const { return outputs_; }
  // Null where none was stated at compile time.
  const Preprocessing* preprocessing(size_t input) const;

  // Where the plan is for inputs of several shapes: each of them a plan by itself, with weights and identity shared,
  // the first included. A session of this plan takes the one that fits what it is given. Empty in these, and where
  // there is one shape.
  std::span<const std::shared_ptr<const Plan>> shapes() const { return shapes_; }
  // Which of them it is; 0: the first, or the only one.
  uint32_t shape_index() const { return shape_index_; }

  // The tables. Indices, sizes, types and alignments in them have been verified.
  const plan::Tables& tables() const { return *tables_; }
  // Elements of a constant buffer.
  std::span<const std::byte> constant(uint32_t buffer) const;

  // All of the file, its signature too.
  std::span<const std::byte> bytes() const { return bytes_; }
  // 32 hexadecimal digits: the identity of the content. Found by chance in no other plan; by malice it can be.
  std::string digest() const;
  // The trusted key that the plan was found to be signed with; empty where none was asked for.
  const std::optional<PublicKey>& signer() const { return signer_; }

 private:
  Plan() = default;
  Plan(const Plan&) = default;
  friend class PlanReader;

  std::span<const std::byte> bytes_;
  std::span<const std::byte> data_;
  std::shared_ptr<void> owner_;  // of the bytes; null over caller's memory
  std::optional<PublicKey> signer_;
  std::shared_ptr<const plan::Tables> tables_;
  std::vector<TensorInfo> inputs_;
  std::vector<TensorInfo> outputs_;
  std::vector<std::optional<Preprocessing>> preprocessing_;
  std::vector<std::shared_ptr<const Plan>> shapes_;
  uint32_t shape_index_ = 0;
};

}  // namespace nestrt
