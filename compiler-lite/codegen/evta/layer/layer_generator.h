// LayerGenerator: a layer on a configuration, with what does not depend on the tiling; makes programs of tilings.
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
  // Everything, but for the configuration, that the programs' cost under each tiling depends on, as text.
  virtual std::string cost_key() const = 0;

  // Cycles that a tiling takes at least, nearly: computing and moving data overlap, but for the first load and the
  // last store. Quick, for tilings by the thousand. Errors: kUnsupported where the tiling does not fit the
  // configuration.
  virtual Result<uint64_t> estimate_cycles(const Tiling& tiling, const isa::CycleProfile& profile) const = 0;

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

// What instructions move, in all.
struct Moves {
  int64_t transfers = 0;  // instructions
  int64_t rows = 0;
  int64_t elements = 0;
};

// Cycles that they take one after the other, where nothing else uses the bus.
int64_t cycles_of(const isa::CycleProfile& profile, const isa::Configuration& configuration, isa::Memory memory,
                  const Moves& moves);
// Of so many instructions that execute so many micro-ops.
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

// What a layer has in DRAM beside its input and its constants.
struct LayerBuffers {
  uint64_t weight_bytes = 0;
  bool residual = false;
  int64_t result_bytes = 1;  // of each element
};

// Addresses of all buffers but the constants.
AddressMap layer_addresses(const LayerShape& shape, const LayerBuffers& buffers);

}  // namespace nestrt::compiler::evta
