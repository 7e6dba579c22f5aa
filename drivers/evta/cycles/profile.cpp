#include "drivers/evta/cycles/profile.h"

#include <algorithm>
#include <array>

namespace nestrt::evta {
namespace {

// From the RTL of June 2019 (tvm-vta 91026e7). Reads and writes are one at a time: request, address, memory's address,
// data after 4 cycles; a write gets its first beat through after 3 and its response 1 after the last. An element is
// read from SRAM between two of a store. A GEMM micro-op is 4 states and leaves 6 cycles of adder tree; an ALU micro-op
// 5 states with an immediate, 6 with a tensor.
constexpr CycleProfile kChisel2019 = {
    .name = "chisel2019",
    .clock_hz = 100e6,  // DE10-nano
    .bus_bytes = 8,
    .burst_beats = 256,
    .read_latency = 4,
    .write_latency = 3,
    .write_response = 1,
    .uop_bus_bytes = 8,
    .dispatch = 1,
    .queue_depth = 512,
    .fetch_block = 128,
    .pads_by_beat = true,
    .store_gap = 1,
    .gemm = {.per_micro_op = 4, .per_instruction = 6},
    .gemm_reset = {.per_micro_op = 4},
    .alu_immediate = {.per_micro_op = 5},
    .alu_tensor = {.per_micro_op = 6},
};

// From the RTL of June 2021 (tvm-vta c18a224): both units pipelined, one start cycle and five of drain, a tensor
// operand read in a cycle of its own; bursts aligned; memory as before.
constexpr CycleProfile chisel2021() {
  CycleProfile profile = kChisel2019;
  profile.name = "chisel2021";
  profile.aligned_bursts = true;
  profile.gemm = {.per_micro_op = 1, .per_instruction = 6};
  profile.gemm_reset = profile.gemm;
  profile.alu_immediate = profile.gemm;
  profile.alu_tensor = {.per_micro_op = 2, .per_instruction = 6};
  return profile;
}

// From the HLS source (vta.cc) and Pynq's build settings: 100 MHz, 64-bit coherent port, initiation interval 1 for GEMM
// and 2 for the ALU, a memcpy per row (one latency; its bursts are issued ahead), modules with ports of their own.
// Assumed, for want of a source: the latency of a read (30 to 60 cycles on such ports), of a write, the restart of a
// module, and the depth of the pipelines (drained at the end of each micro-op list, as the loops around it are not
// perfectly nested).
constexpr CycleProfile kHlsZynq7020 = {
    .name = "hls_zynq7020",
    .clock_hz = 100e6,
    .bus_bytes = 8,
    .burst_beats = 1 << 20,
    .read_latency = 40,
    .write_latency = 10,
    .write_response = 10,
    .overlapped_latency = true,
    .uop_bus_bytes = 4,
    .dispatch = 4,
    .queue_depth = 512,
    .fetch_block = 128,
    .gemm = {.per_micro_op = 1, .per_iteration = 3},
    .gemm_reset = {.per_micro_op = 1, .per_iteration = 3},
    .alu_immediate = {.per_micro_op = 2, .per_iteration = 3},
    .alu_tensor = {.per_micro_op = 2, .per_iteration = 3},
};

// EVTA on the ZCU102, of which no timing is published: as above with the 128-bit port of VTA's ZCU104 build and the
// clock that boards/zcu102.yaml assumes, the latency longer in cycles.
constexpr CycleProfile zcu102() {
  CycleProfile profile = kHlsZynq7020;
  profile.name = "zcu102";
  profile.clock_hz = 200e6;
  profile.bus_bytes = 16;
  profile.read_latency = 60;
  return profile;
}

constexpr std::array<CycleProfile, 4> kProfiles = {kChisel2019, chisel2021(), kHlsZynq7020, zcu102()};

}  // namespace

std::span<const CycleProfile> cycle_profiles() { return kProfiles; }

const CycleProfile* find_cycle_profile(std::string_view name) {
  const auto* const found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                         [name](const CycleProfile& profile) { return profile.name == name; });
  return found != kProfiles.end() ? found : nullptr;
}

}  // namespace nestrt::evta
