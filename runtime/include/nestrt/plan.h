// SPDX-License-Identifier: Apache-2.0
// Plan: a compiled network, mapped from a .nest file and verified.
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
#include "nestrt/public_key.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

namespace plan {
struct Tables;  // nestrt/driver/plan_tables.h
}

// How thoroughly a plan is verified on loading.
enum class Verification {
  kTables,    // header, digest of the tables, every index, size, type and alignment; linear in the tables
  kComplete,  // also the digest of the whole file, linear in the file, and the memory plan for any schedule
};

// Options for loading a plan.
struct LoadOptions {
  LoadOptions(Verification wanted = Verification::kTables) : verification(wanted) {}  // NOLINT: implicit by design

  Verification verification;
  // Reads the file into memory owned by the plan instead of mapping it. Modifying a mapped file changes the plan's
  // weights; truncating it ends the process with SIGBUS on the next access.
  bool copy = false;
  // If not empty, one of these keys must have signed the plan. Implies `copy`, so that the verified bytes are the ones
  // that run.
  std::vector<PublicKey> trusted_keys = {};
};

// A verified network: its inputs and outputs, its tables, and its weights.
//
// Threading: immutable; any number of sessions and threads may share a plan.
// Ownership: sessions keep their plan alive. Kernels read weights directly from the mapped file.
class Plan {
 public:
  // Maps and verifies a file. Errors: kNotFound, kIo, kInvalidPlan, kIncompatible, kOutOfMemory.
  static Result<std::shared_ptr<const Plan>> map(const std::string& path, const LoadOptions& options = {});
  // Maps and verifies an open file. The caller keeps the descriptor and may close it after the call.
  static Result<std::shared_ptr<const Plan>> map_descriptor(int descriptor, const LoadOptions& options = {});
  // Verifies a plan in memory without copying it. The memory must be aligned to 64 bytes, outlive the plan and stay
  // unchanged.
  static Result<std::shared_ptr<const Plan>> from_memory(std::span<const std::byte> bytes,
                                                         const LoadOptions& options = {});
  ~Plan();
  Plan& operator=(const Plan&) = delete;

  // Inputs and outputs in the plan's order. If the plan has several shapes, these describe the first one.
  std::span<const TensorInfo> inputs() const;
  std::span<const TensorInfo> outputs() const;
  // Returns the preprocessing specified at compile time, or null.
  const Preprocessing* preprocessing(size_t input) const;

  // Returns one plan per shape, including the first, if the plan supports several input shapes; otherwise an empty
  // span. The plans share weights and digest. A session of this plan selects the shape that matches its inputs.
  std::span<const std::shared_ptr<const Plan>> shapes() const;
  // Returns the index of this plan in shapes(); 0 for a plan with one shape.
  uint32_t shape_index() const;

  // Returns the tables. All indices, sizes, types and alignments in them are verified.
  const plan::Tables& tables() const;
  // Returns the elements of a constant buffer.
  std::span<const std::byte> constant(uint32_t buffer) const;

  // Returns the whole file, including its signature.
  std::span<const std::byte> bytes() const;
  // Returns 32 hexadecimal digits that identify the content. They are not collision-resistant against an attacker; use
  // signatures for authenticity.
  std::string digest() const;
  // Returns the trusted key that signed the plan, or nullopt if no keys were given.
  const std::optional<PublicKey>& signer() const;

 private:
  struct State;  // runtime/plan/plan_state.h
  explicit Plan(std::unique_ptr<const State> state);
  friend class PlanReader;

  std::unique_ptr<const State> state_;
};

}  // namespace nestrt
