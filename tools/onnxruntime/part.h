// SPDX-License-Identifier: Apache-2.0
// Part: a group of nodes with a plan and a session, which ONNX Runtime runs as one node.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/result.h"
#include "nestrt/session.h"
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {

class Part {
 public:
  // `inputs` and `outputs`: names of the operands of ONNX Runtime's node. They must include all operands of the plan.
  // Errors: those of Session::create(); kInternal if the node lacks an operand.
  static Result<std::unique_ptr<Part>> create(const Api& api, std::shared_ptr<const Plan> plan, const UnitList& units,
                                              const std::vector<std::string>& inputs,
                                              const std::vector<std::string>& outputs);

  // Runs the session on the tensors of ONNX Runtime without copying them. Concurrent calls run one after another.
  // Errors: those of Session::run().
  Status run(KernelContext* context);

  ComputeTable* table() { return &table_; }
  static Part* of(ComputeTable* table) { return static_cast<Holder*>(table)->part; }

 private:
  // ONNX Runtime accesses only the base class.
  struct Holder : ComputeTable {
    Part* part = nullptr;
  };

  Part(const Api& api, std::unique_ptr<Session> session);
  Result<ConstTensorView> input(KernelContext* context, size_t index) const;
  Result<TensorView> output(KernelContext* context, size_t index) const;

  const Api& api_;
  std::unique_ptr<Session> session_;
  std::vector<size_t> inputs_, outputs_;  // operand of ONNX Runtime's node, by operand of the plan
  Holder table_;
};

}  // namespace nestrt::ort
