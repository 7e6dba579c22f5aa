// LayerGenerator: a layer on a configuration, with what does not depend on the tiling; makes programs of tilings.
#pragma once

#include <string>
#include <utility>

#include "compiler-lite/codegen/evta/encoded_program.h"
#include "compiler-lite/codegen/evta/layer_shape.h"
#include "compiler-lite/codegen/evta/tiling.h"

namespace nestrt::compiler::evta {

class LayerGenerator {
 public:
  virtual ~LayerGenerator() = default;
  LayerGenerator(LayerGenerator&&) = default;
  LayerGenerator& operator=(LayerGenerator&&) = default;

  const std::string& name() const { return name_; }  // for messages
  const isa::Configuration& configuration() const { return *configuration_; }
  const LayerShape& shape() const { return shape_; }
  // Everything, but for the configuration, that the programs' cost under each tiling depends on, as text.
  virtual std::string cost_key() const = 0;

  // Cycles that a tiling takes at least, nearly: computing and moving data overlap, but for the first load and the
  // last store, and every instruction has a fixed cost. Quick, for tilings by the thousand. `bus_bytes`: what DRAM
  // moves in a cycle. Errors: kUnsupported where the tiling does not fit the configuration.
  virtual Result<uint64_t> estimate_cycles(const Tiling& tiling, int bus_bytes) const = 0;

  // Errors: as above.
  virtual Result<EncodedProgram> generate(const Tiling& tiling) const = 0;

 protected:
  // The configuration must outlive the generator and its programs.
  LayerGenerator(std::string name, const isa::Configuration& configuration, const LayerShape& shape)
      : name_(std::move(name)), configuration_(&configuration), shape_(shape) {}

 private:
  std::string name_;
  const isa::Configuration* configuration_;
  LayerShape shape_;
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
AddressMap layer_addresses(const LayerShape& shape, bool residual, uint64_t weight_bytes);

}  // namespace nestrt::compiler::evta
