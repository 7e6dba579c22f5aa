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

// The RTL that VTA's Chisel source of later years builds (MJChku/VTA_FPGA 10fed0a), read off its modules and traces of
// its instructions, but for launch and read_latency, which a search over its cycles gave; with a memory that has a bus
// for reads and one for writes, as the design's AXI port has. A load requests row after row, in every other cycle,
// sixteen reads of all loads under way; a request reaches memory in the next cycle, its first beat comes two later.
// Pads are written in cycles without data, one each. The last beat passes three registers before the instruction ends,
// of micro-ops two.
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

// Measured on the Verilog that Vivado HLS 2019.1 made of VTA's HLS source for the xc7z020 (TSCCompiler/tvm-vta-llm
// fae59de), simulated cycle by cycle with one bus of 8 bytes a cycle. A row of a transfer is a request of its own, and
// waits for the one before it; weights come in at a beat in two cycles, while the bus serves others; N micro-ops of a
// GEMM take N + 19 cycles, of an ALU operation 2 N + 19, in however many iterations. Assumed, as no board was measured:
// the latency of a read (30 to 60 cycles on such ports) and of a write.
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

// EVTA on the ZCU102, of which no timing is published: the same modules with the 128-bit port of VTA's ZCU104 build,
// whose RTL is not known, and the clock that boards/zcu102.yaml assumes. Assumed is that they need as many cycles
// for a beat and a row there as on the narrow port; the latency is longer in cycles, as the clock is faster.
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
