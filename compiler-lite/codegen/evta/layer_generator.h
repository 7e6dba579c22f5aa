// LayerGenerator: a layer on a configuration, with what does not depend on the schedule; makes programs of schedules.
#pragma once

#include <string>

#include "compiler-lite/codegen/evta/conv_shape.h"
#include "compiler-lite/codegen/evta/generated_program.h"
#include "compiler-lite/codegen/evta/schedule.h"

namespace nestrt::compiler::evta {

class LayerGenerator {
 public:
  virtual ~LayerGenerator() = default;

  virtual const std::string& name() const = 0;  // for messages
  virtual const isa::Configuration& configuration() const = 0;
  virtual const ConvShape& shape() const = 0;
  // Everything, but for the configuration, that the programs' cost under each schedule depends on, as text.
  virtual std::string cost_key() const = 0;

  // Cycles that a schedule takes at least, nearly: computing and moving data overlap, but for the first load and the
  // last store, and every instruction has a fixed cost. Quick, for schedules by the thousand. `bus_bytes`: what DRAM
  // moves in a cycle. Errors: kUnsupported where the schedule does not fit the configuration.
  virtual Result<uint64_t> estimate_cycles(const Schedule& schedule, int bus_bytes) const = 0;

  // Errors: as above.
  virtual Result<GeneratedProgram> generate(const Schedule& schedule) const = 0;
};

// The parts of an estimate.
struct CycleEstimate {
  static constexpr int64_t kInstruction = 8;  // to fill and drain a pipeline
  static constexpr int64_t kTransfer = 20;    // until the first beat of a transfer

  int64_t computing = 0;
  int64_t loading = 0;
  int64_t storing = 0;
  int64_t first_load = 0;
  int64_t last_store = 0;

  uint64_t total(int threads) const;
};

// Addresses of all buffers but the constants.
AddressMap layer_addresses(const ConvShape& shape, bool residual, uint64_t weight_bytes);

}  // namespace nestrt::compiler::evta
