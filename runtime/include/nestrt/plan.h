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

#include "nestrt/preprocessing.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"

namespace nestrt {

namespace plan {
struct Tables;  // nestrt/plan_tables.h
}

enum class Verification {
  kTables,    // header, digest of the tables, every index, size, type and alignment: linear in the tables
  kComplete,  // and the digest of everything (linear in the file), and the memory plan for any schedule
};

class Plan {
 public:
  // Maps and verifies a file. Errors: kNotFound, kIo, kInvalidPlan, kIncompatible.
  static Result<std::shared_ptr<const Plan>> map(const std::string& path,
                                                 Verification verification = Verification::kTables);
  // The same over memory that the caller keeps alive and unchanged; must be aligned to 64 bytes.
  static Result<std::shared_ptr<const Plan>> from_memory(std::span<const std::byte> bytes,
                                                         Verification verification = Verification::kTables);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  std::span<const TensorInfo> inputs() const { return inputs_; }
  std::span<const TensorInfo> outputs() const { return outputs_; }
  // Null where none was stated at compile time.
  const Preprocessing* preprocessing(size_t input) const;

  // The tables. Indices, sizes, types and alignments in them have been verified.
  const plan::Tables& tables() const { return *tables_; }
  // Elements of a constant buffer.
  std::span<const std::byte> constant(uint32_t buffer) const;

  std::span<const std::byte> bytes() const { return bytes_; }
  // 32 hexadecimal digits: the identity of the content.
  std::string digest() const;

 private:
  Plan() = default;
  friend class PlanReader;

  std::span<const std::byte> bytes_;
  std::span<const std::byte> data_;
  std::shared_ptr<void> mapping_;  // null over caller's memory
  std::unique_ptr<const plan::Tables> tables_;
  std::vector<TensorInfo> inputs_;
  std::vector<TensorInfo> outputs_;
  std::vector<std::optional<Preprocessing>> preprocessing_;
};

}  // namespace nestrt
