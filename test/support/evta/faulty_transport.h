// SPDX-License-Identifier: Apache-2.0
// An accelerator whose hardware executes some instructions differently.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::evta::test {

class FaultyTransport final : public Transport {
 public:
  // Converts a program to the one that the faulty hardware executes.
  using Change = std::function<void(std::vector<Instruction>&)>;
  FaultyTransport(std::unique_ptr<Transport> inner, const Configuration& configuration, Change change)
      : inner_(std::move(inner)), configuration_(configuration), change_(std::move(change)) {}

  std::string_view name() const override { return "faulty"; }
  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    return inner_->allocate(size, offset);
  }
  Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                              std::vector<std::shared_ptr<DeviceBuffer>> memory) override {
    NESTRT_ASSIGN_OR_RETURN(std::vector<Instruction> instructions, decode(configuration_, program.instructions));
    change_(instructions);
    std::vector<InstructionWord> words;
    for (const Instruction& instruction : instructions) {
      NESTRT_ASSIGN_OR_RETURN(words.emplace_back(), encode(configuration_, instruction));
    }
    return inner_->load({program.configuration, words, program.ranges}, std::move(memory));
  }
  Status start(std::shared_ptr<DeviceProgram> program) override { return inner_->start(std::move(program)); }
  Status wait(Deadline deadline) override { return inner_->wait(deadline); }
  void interrupt() override { inner_->interrupt(); }
  Status reset() override { return inner_->reset(); }

 private:
  const std::unique_ptr<Transport> inner_;
  const Configuration& configuration_;
  const Change change_;
};

}  // namespace nestrt::evta::test
