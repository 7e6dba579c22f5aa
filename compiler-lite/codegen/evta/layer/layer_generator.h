// SPDX-License-Identifier: Apache-2.0
// LayerGenerator: generates programs of one layer on one configuration and holds everything that does not depend on the
// tiling.
#pragma once

#include <string>
#include <utility>

#include "compiler-lite/codegen/evta/layer/layer_shape.h"
#include "compiler-lite/codegen/evta/layer/tiling.h"
#include "compiler-lite/codegen/evta/program/encoded_program.h"
#include "drivers/evta/cycles/profile.h"

namespace nestrt::compiler::evta {

class LayerGenerator {
 public:
  virtual ~LayerGenerator() = default;
  LayerGenerator(LayerGenerator&&) = default;
  LayerGenerator& operator=(LayerGenerator&&) = default;

  const std::string& name() const { return name_; }  // for messages
  const isa::Configuration& configuration() const { return *configuration_; }
  const LayerShape& shape() const { return shape_; }
  // Returns, as text, everything other than the configuration that affects the programs' cost.
  virtual std::string cost_key() const = 0;

  // Returns an approximate lower bound of a tiling's cycles. Assumes that computation and data movement overlap, except
  // for the first load and the last store. Fast enough for thousands of tilings. Errors: kUnsupported if the tiling
  // does not fit the configuration.
  virtual Result<uint64_t> estimate_cycles(const Tiling& tiling, const isa::CycleProfile& profile) const = 0;

  // Errors: same as estimate_cycles().
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

// Total amount of data that instructions move.
struct Moves {
  int64_t transfers = 0;  // number of instructions
  int64_t rows = 0;
  int64_t elements = 0;
};

// Returns the cycles of the moves in sequence if nothing else uses the bus.
int64_t cycles_of(const isa::CycleProfile& profile, const isa::Configuration& configuration, isa::Memory memory,
                  const Moves& moves);
// Returns the cycles of `instructions` instructions that execute `micro_ops` micro-ops in total.
int64_t cycles_of(const isa::CycleProfile& profile, const isa::CycleProfile::Unit& unit, int64_t instructions,
                  int64_t micro_ops);

// The parts of an estimate.
struct CycleEstimate {
  int64_t computing = 0;
  int64_t loading = 0;
  int64_t storing = 0;
  int64_t first_load = 0;
  int64_t last_store = 0;

  uint64_t total(int threads) const;
};

// Sizes of a layer's DRAM buffers other than its input and constants.
struct LayerBuffers {
  uint64_t weight_bytes = 0;
  bool residual = false;
  int64_t result_bytes = 1;  // per element
};

// Returns the addresses of all buffers except the constants.
AddressMap layer_addresses(const LayerShape& shape, const LayerBuffers& buffers);

}  // namespace nestrt::compiler::evta
