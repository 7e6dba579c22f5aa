// SPDX-License-Identifier: Apache-2.0
// CycleProfile: the timing of one implementation of the accelerator and its memory, with as few parameters as possible
// to reproduce published results. Times are in cycles of the accelerator's clock.
//
// `chisel2019` and `chisel2021` are derived from the state machines of VTA's Chisel RTL at the revisions whose cycle
// counts were published (tvm PR 3347; tvm-vta PR 30), `chisel_16_reads` from a later version of that RTL.
// `hls_zynq7020` is measured on the RTL that Vivado HLS generated from VTA's source. `zcu102` is the same with an
// assumed port. docs/concepts/evta.md compares each with published data.
#pragma once

#include <span>
#include <string_view>

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

struct CycleProfile {
  std::string_view name;
  double clock_hz = 0;  // for times; does not affect cycle counts
  int bus_bytes = 8;    // DRAM bytes per cycle

  // DRAM and the path to it: one server, or separate ones for reads and writes.
  bool separate_writes = false;     // reads and writes use separate buses and do not wait for each other
  int burst_beats = 256;            // beats of the longest burst; a row of a transfer needs one or more bursts
  bool aligned_bursts = false;      // a burst ends at a multiple of its maximum size in DRAM
  int read_latency = 0;             // from a request to its first beat
  int write_latency = 0;            // from a request to its first beat
  int write_response = 0;           // from a burst's last beat to the next request
  bool overlapped_latency = false;  // other clients use the bus while a request waits for its first beat
  int reads_ahead = 0;    // maximum number of outstanding reads of all loads; 0: each waits for the previous one
  int uop_bus_bytes = 8;  // separate port of the micro-op memory

  // The modules.
  int launch = 1;               // from launch to the request for the first instructions
  int dispatch = 1;             // from the start of an instruction to its first action
  int queue_depth = 512;        // instructions that may be queued for one module
  int fetch_block = 128;        // instructions per fetch; all are dispatched before the next block is requested
  bool streamed_fetch = false;  // instructions are dispatched as they arrive, not when their block is complete
  bool pads_by_beat = false;    // a pad element needs as many beats as data, instead of one cycle
  int pad_latency = 0;          // with outstanding reads, from dispatch to the first pad: pads do not wait for data
  int store_gap = 0;            // cycles between two elements of a store

  // Transfers: cycles in addition to those of the bus and its latency.
  struct Transfer {
    int per_instruction = 0;  // after the dispatch
    int before_row = 0;       // before a row's request
    int after_row = 0;        // after a row's last beat
    int cycles_per_beat = 1;
    int long_row = 0;  // additional cycles for a row of more than 16 beats
  };
  Transfer load_uop = {};
  Transfer load_inp = {};
  Transfer load_wgt = {};
  Transfer load_acc = {};
  Transfer store = {};
  const Transfer& transfer(Memory memory) const;

  // Cycles from the end of an instruction until its token can be taken: between load and compute, to the store module,
  // and from the store module.
  struct Tokens {
    int load_and_compute = 0;
    int to_store = 0;
    int from_store = 0;
  };
  Tokens tokens = {};

  // Micro-ops: cycles per micro-op, over all iterations, and once per instruction. Iterations themselves have no cost.
  struct Unit {
    int per_micro_op = 1;
    int per_instruction = 0;
  };
  Unit gemm;
  Unit gemm_reset;
  Unit alu_immediate;
  Unit alu_tensor;

  double seconds(double cycles) const { return cycles / clock_hz; }
};

std::span<const CycleProfile> cycle_profiles();

// Returns the profile with this name, or null.
const CycleProfile* find_cycle_profile(std::string_view name);

// Profile and clock of simulated accelerators with pacing, for code that does not link the profiles.
inline constexpr std::string_view kPaceProfile = "zcu102";
inline constexpr double kPaceClockHz = 200e6;

}  // namespace nestrt::evta
