// SPDX-License-Identifier: Apache-2.0
// The reference vendor's device: a processor that runs programs, one operator after the other, on one thread.
#pragma once

#include <functional>
#include <vector>

#include "program.h"

namespace reference {

// A program with memory for its tensors.
class Engine {
 public:
  explicit Engine(Program program);

  const Program& program() const { return program_; }
  // Runs the program. Calls `goes_on` before each operator. If it returns false, run() returns false and writes no
  // outputs.
  bool run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
           const std::function<bool()>& goes_on);

 private:
  void compute(const Operator& op);
  void product(const Operator& op);
  void pool(const Operator& op);
  void response_norm(const Operator& op);
  void softmax(const Operator& op);
  void concat(const Operator& op);
  void affine(const Operator& op);
  void read(uint32_t tensor, const void* from);
  void write(uint32_t tensor, void* to) const;
  const std::vector<uint32_t>& shape(uint32_t tensor) const { return program_.tensors[tensor].shape; }

  Program program_;
  std::vector<std::vector<float>> tensors_;
  std::vector<int8_t> quantized_;
  std::vector<int16_t> columns_, kernel_;  // window contents by pixel; weights of a channel
};

}  // namespace reference
