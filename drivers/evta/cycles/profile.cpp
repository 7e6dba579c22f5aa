// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/cycles/profile.h"

#include <algorithm>
#include <array>

namespace nestrt::evta {
namespace {

// From the RTL of June 2019 (tvm-vta 91026e7). Reads and writes run one at a time: request, address, memory address,
// data after 4 cycles. A write transmits its first beat after 3 cycles and receives its response 1 cycle after the
// last. Stores read an element from SRAM between two beats. A GEMM micro-op has 4 states, followed by 6 cycles for the
// adder tree; an ALU micro-op has 5 states with an immediate and 6 with a tensor.
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

// From the RTL of June 2021 (tvm-vta c18a224): both units are pipelined, with one start cycle and five drain cycles; a
// tensor operand is read in a separate cycle; bursts are aligned. The memory is the same as in kChisel2019.
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

// The RTL generated from later versions of VTA's Chisel source (MJChku/VTA_FPGA 10fed0a). The values are derived from
// its modules and instruction traces, except launch and read_latency, which were fitted to its cycle counts. The memory
// has one bus for reads and one for writes, like the design's AXI port. A load requests row after row, in every other
// cycle, with sixteen outstanding reads for all loads together. A request reaches memory in the next cycle; its first
// beat arrives two cycles later. Pads are written in cycles without data, one pad per cycle. The last beat passes
// through three registers before the instruction ends, or two for micro-ops.
constexpr CycleProfile chisel_16_reads() {
  CycleProfile profile = chisel2021();
  profile.name = "chisel_16_reads";
  profile.separate_writes = true;
  profile.overlapped_latency = true;
  profile.reads_ahead = 16;
  profile.read_latency = 3;
  profile.launch = 2;
  profile.pads_by_beat = false;
  profile.pad_latency = 2;
  profile.load_uop.after_row = 2;
  profile.load_inp.after_row = 3;
  profile.load_wgt.after_row = 3;
  profile.load_acc.after_row = 3;
  return profile;
}

// Measured on the Verilog that Vivado HLS 2019.1 generated from VTA's HLS source for the xc7z020
// (TSCCompiler/tvm-vta-llm fae59de), simulated cycle by cycle with one bus of 8 bytes per cycle. Each row of a transfer
// is a separate request that waits for the previous one. Weights arrive at one beat every two cycles, and the bus
// serves other clients in between. N micro-ops take N + 19 cycles in a GEMM and 2 N + 19 in an ALU operation,
// regardless of the number of iterations. Assumed, because no board was measured: the latency of a read (30 to 60
// cycles on such ports) and of a write.
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
    .launch = 20,
    .dispatch = 1,
    .queue_depth = 512,
    .fetch_block = 128,
    .streamed_fetch = true,
    .load_uop = {.per_instruction = 17},
    .load_inp = {.per_instruction = 8, .before_row = 19},
    .load_wgt = {.per_instruction = 4, .before_row = 15, .cycles_per_beat = 2},
    .load_acc = {.per_instruction = 10, .before_row = 19},
    .store = {.per_instruction = 2, .before_row = 11, .long_row = 1},
    .tokens = {.load_and_compute = 2, .to_store = 2, .from_store = 3},
    .gemm = {.per_micro_op = 1, .per_instruction = 18},
    .gemm_reset = {.per_micro_op = 1, .per_instruction = 18},
    .alu_immediate = {.per_micro_op = 2, .per_instruction = 18},
    .alu_tensor = {.per_micro_op = 2, .per_instruction = 18},
};

// EVTA on the ZCU102, whose timing is not published. Assumes the same modules, the 128-bit port of VTA's ZCU104 build
// (its RTL is not available), the clock in boards/zcu102.yaml, and the same number of cycles per beat and row as on the
// narrow port. The latency is longer in cycles because the clock is faster.
constexpr CycleProfile zcu102() {
  CycleProfile profile = kHlsZynq7020;
  profile.name = "zcu102";
  profile.clock_hz = 200e6;
  profile.bus_bytes = 16;
  profile.read_latency = 60;
  return profile;
}

constexpr std::array<CycleProfile, 5> kProfiles = {kChisel2019, chisel2021(), chisel_16_reads(), kHlsZynq7020,
                                                   zcu102()};

}  // namespace

const CycleProfile::Transfer& CycleProfile::transfer(Memory memory) const {
  switch (memory) {
    case Memory::kUop:
      return load_uop;
    case Memory::kWgt:
      return load_wgt;
    case Memory::kInp:
      return load_inp;
    case Memory::kAcc:
    case Memory::kAcc8Bit:
      return load_acc;
    case Memory::kOut:
      break;
  }
  return store;
}

std::span<const CycleProfile> cycle_profiles() { return kProfiles; }

const CycleProfile* find_cycle_profile(std::string_view name) {
  const auto* const found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                         [name](const CycleProfile& profile) { return profile.name == name; });
  return found != kProfiles.end() ? found : nullptr;
}

}  // namespace nestrt::evta
