// SPDX-License-Identifier: Apache-2.0
// The private state of a Plan. PlanReader fills it; it is immutable afterwards.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/plan.h"

namespace nestrt {

struct Plan::State {
  std::span<const std::byte> bytes;  // the whole file
  std::span<const std::byte> data;   // its data area
  std::shared_ptr<void> owner;       // of `bytes`; null if the caller owns the memory
  std::optional<PublicKey> signer;
  std::shared_ptr<const plan::Tables> tables;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<std::optional<Preprocessing>> preprocessing;  // per input
  std::vector<std::shared_ptr<const Plan>> shapes;
  uint32_t shape_index = 0;
};

}  // namespace nestrt
