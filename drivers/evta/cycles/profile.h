// CycleProfile: the timing of one implementation of the accelerator and of the memory behind it, as few numbers as
// reproduce what is published about it. Times are in cycles of the accelerator's clock.
//
// `chisel2019` and `chisel2021` are read off the state machines of VTA's Chisel RTL at the revisions whose cycle counts
// were published (tvm PR 3347; tvm-vta PR 30), `chisel_16_reads` off a later RTL of it. `hls_zynq7020` is measured
// on the RTL that Vivado HLS made of VTA's source; `zcu102` is the same with another port, which is assumed.
// docs/concepts/evta.md compares each with what is known.
#pragma once

#include <span>
#include <string_view>

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

struct CycleProfile {
  std::string_view name;
  double clock_hz = 0;  // for times; the counts do not depend on it
  int bus_bytes = 8;    // DRAM's per cycle

  // DRAM and the way to it: one server, or one for reads and one for writes.
  bool separate_writes = false;     // reads and writes have a bus each and do not wait for each other
  int burst_beats = 256;            // beats of the longest burst; a row of a transfer takes one burst or more
  bool aligned_bursts = false;      // a burst ends where a multiple of its longest size in DRAM does
  int read_latency = 0;             // from a request to its first beat
  int write_latency = 0;            // from a request to its first beat
  int write_response = 0;           // from a burst's last beat to the next request
  bool overlapped_latency = false;  // others use the bus while a request waits for its first beat
  int reads_ahead = 0;              // of all loads, requested before data have come; 0: each waits for the one before
  int uop_bus_bytes = 8;            // the micro-op memory's own port

  // The modules.
  int launch = 1;               // from the launch to the request for the first instructions
  int dispatch = 1;             // from the start of an instruction to its first action
  int queue_depth = 512;        // instructions that wait for one module
  int fetch_block = 128;        // instructions fetched at once; all are handed out before the next block is requested
  bool streamed_fetch = false;  // each is handed out as it comes, not when its block is complete
  bool pads_by_beat = false;    // a pad element takes the beats of its data, not one cycle
  int pad_latency = 0;          // from the dispatch to the first pad, where reads are ahead: pads wait for no data
  int store_gap = 0;            // cycles between two elements of a store

  // Transfers: cycles beside those of the bus and its latency.
  struct Transfer {
    int per_instruction = 0;  // after the dispatch
    int before_row = 0;       // to a row's request
    int after_row = 0;        // from a row's last beat on
    int cycles_per_beat = 1;
    int long_row = 0;  // more for a row of more than 16 beats
  };
  Transfer load_uop = {};
  Transfer load_inp = {};
  Transfer load_wgt = {};
  Transfer load_acc = {};
  Transfer store = {};
  const Transfer& transfer(Memory memory) const;

  // From the end of an instruction to when its token can be taken: between load and compute, to the store module, and
  // from it.
  struct Tokens {
    int load_and_compute = 0;
    int to_store = 0;
    int from_store = 0;
  };
  Tokens tokens = {};

  // Micro-ops: cycles for each, of all iterations, and once per instruction. The iterations themselves cost nothing.
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

// The profile of that name, or null.
const CycleProfile* find_cycle_profile(std::string_view name);

// Whose timing simulated accelerators have where they are paced, and its clock, for those who do not link the profiles.
inline constexpr std::string_view kPaceProfile = "zcu102";
inline constexpr double kPaceClockHz = 200e6;

}  // namespace nestrt::evta
