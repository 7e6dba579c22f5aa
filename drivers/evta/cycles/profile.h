// CycleProfile: the timing of one implementation of the accelerator and of the memory behind it, as few numbers as
// reproduce what is published about it. Times are in cycles of the accelerator's clock.
//
// `chisel2019` and `chisel2021` are read off the state machines of VTA's Chisel RTL at the revisions whose cycle counts
// were published (tvm PR 3347; tvm-vta PR 30). `hls_zynq7020` and `zcu102` follow the structure of the HLS source;
// what it leaves to the tools and the board is assumed, and says so below. docs/evta.md compares each with what is
// known.
#pragma once

#include <span>
#include <string_view>

namespace nestrt::evta {

struct CycleProfile {
  std::string_view name;
  double clock_hz = 0;  // for times; the counts do not depend on it
  int bus_bytes = 8;    // DRAM's per cycle, both directions together

  // DRAM and the way to it: one server.
  int burst_beats = 256;            // beats of the longest burst; a row of a transfer takes one burst or more
  bool aligned_bursts = false;      // a burst ends where a multiple of its longest size in DRAM does
  int read_latency = 0;             // from a request to its first beat
  int write_latency = 0;            // from a request to its first beat
  int write_response = 0;           // from a burst's last beat to the next request
  bool overlapped_latency = false;  // others use the bus while a request waits for its first beat
  int uop_bus_bytes = 8;            // the micro-op memory's own port

  // The modules.
  int dispatch = 1;           // from the start of an instruction to its first action
  int queue_depth = 512;      // instructions that wait for one module
  int fetch_block = 128;      // instructions fetched at once; all are handed out before the next block is requested
  bool pads_by_beat = false;  // a pad element takes the beats of its data, not one cycle
  int store_gap = 0;          // cycles between two elements of a store

  // Micro-ops: cycles for each, for each iteration of the loops around them, and once per instruction.
  struct Unit {
    int per_micro_op = 1;
    int per_iteration = 0;
    int per_instruction = 0;
  };
  Unit gemm;
  Unit gemm_reset;
  Unit alu_immediate;
  Unit alu_tensor;

  double seconds(double cycles) const { return cycles / clock_hz; }
};

std::span<const CycleProfile> cycle_profiles();

// The profile of that name, or null.
const CycleProfile* find_cycle_profile(std::string_view name);

}  // namespace nestrt::evta
