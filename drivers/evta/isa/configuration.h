// SPDX-License-Identifier: Apache-2.0
// Configuration: the parameters of one build of the accelerator, and the values derived from them, such as element
// sizes and depths of the on-chip memories, and widths of the instruction fields.
//
// Sizes are base-2 logarithms, as in the accelerator's own configuration files. A name has the form
// {batch}x{block}_{uop}_{inp}_{wgt}_{acc} with buffer sizes in log2 bytes. Types are fixed: int8 inputs and weights,
// int32 accumulators, int8 outputs. Multiple instances of one configuration share DRAM; the unit manages them.
//
// Source: VTA's hw_spec.h. Some published bitstreams have configurations whose instructions exceed the 128 bits defined
// in that header, with an encoding that is not public. They are marked `encoding_assumed` and use narrower fields.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "drivers/evta/isa/design.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Values of the instruction set.
enum class Memory : uint8_t { kUop = 0, kWgt = 1, kInp = 2, kAcc = 3, kOut = 4, kAcc8Bit = 5 };
inline constexpr int kNumMemories = 6;

// Returns "uop", "wgt", ...; "?" for an invalid value.
std::string_view name(Memory memory);

struct Configuration {
  std::string_view name;
  int log_batch;
  int log_block;
  int log_uop_buffer;
  int log_inp_buffer;
  int log_wgt_buffer;
  int log_acc_buffer;
  bool encoding_assumed = false;
  int log_uop_bytes = 2;
  int iter_out_bits = 14;
  int iter_in_bits = 14;
  int factor_trim = 0;      // number of bits by which a loop factor is narrower than the index that it contributes to
  int uop_field_spare = 0;  // number of bits by which uop_begin and uop_end are wider than the micro-op memory needs
  Design design = Design::kHls;

  constexpr int batch() const { return 1 << log_batch; }
  constexpr int block() const { return 1 << log_block; }

  // Return the size of one element in bytes.
  constexpr int uop_bytes() const { return 1 << log_uop_bytes; }
  constexpr int inp_bytes() const { return batch() * block(); }
  constexpr int wgt_bytes() const { return block() * block(); }
  constexpr int acc_bytes() const { return batch() * block() * 4; }
  constexpr int out_bytes() const { return batch() * block(); }
  constexpr int element_bytes(Memory memory) const;

  // Return the number of elements of the on-chip memory. The 8-bit form of an accumulator is in the accumulator memory.
  constexpr uint32_t uop_depth() const { return 1u << uop_index_bits(); }
  constexpr uint32_t inp_depth() const { return 1u << inp_index_bits(); }
  constexpr uint32_t wgt_depth() const { return 1u << wgt_index_bits(); }
  constexpr uint32_t acc_depth() const { return 1u << acc_index_bits(); }
  constexpr uint32_t depth(Memory memory) const;

  // Return the number of bits of an element index, which is also the width of the micro-op fields.
  constexpr int uop_index_bits() const { return log_uop_buffer - log_uop_bytes; }
  constexpr int inp_index_bits() const { return log_inp_buffer - log_batch - log_block; }
  constexpr int wgt_index_bits() const { return log_wgt_buffer - 2 * log_block; }
  constexpr int acc_index_bits() const { return log_acc_buffer - log_batch - log_block - 2; }

  // Return the number of bits of the loop factors of a GEMM or ALU operation.
  constexpr int inp_factor_bits() const { return inp_index_bits() - factor_trim; }
  constexpr int wgt_factor_bits() const { return wgt_index_bits() - factor_trim; }
  constexpr int acc_factor_bits() const { return acc_index_bits() - factor_trim; }

  // Returns the width in bits of the first index of a micro-op range; its end is one bit wider.
  constexpr int uop_begin_bits() const { return uop_index_bits() + uop_field_spare; }

  constexpr int64_t macs_per_cycle() const { return int64_t{1} << (log_batch + 2 * log_block); }
};

constexpr int Configuration::element_bytes(Memory memory) const {
  switch (memory) {
    case Memory::kUop:
      return uop_bytes();
    case Memory::kWgt:
      return wgt_bytes();
    case Memory::kInp:
      return inp_bytes();
    case Memory::kAcc:
      return acc_bytes();
    case Memory::kOut:
      return out_bytes();
    case Memory::kAcc8Bit:
      return batch() * block();
  }
  return 1;
}

constexpr uint32_t Configuration::depth(Memory memory) const {
  switch (memory) {
    case Memory::kUop:
      return uop_depth();
    case Memory::kWgt:
      return wgt_depth();
    case Memory::kInp:
      return inp_depth();
    case Memory::kAcc:
    case Memory::kOut:
    case Memory::kAcc8Bit:
      return acc_depth();
  }
  return 0;
}

inline constexpr std::array<Configuration, 5> kConfigurations = {{
    {.name = "1x16_15_15_18_17",
     .log_batch = 0,
     .log_block = 4,
     .log_uop_buffer = 15,
     .log_inp_buffer = 15,
     .log_wgt_buffer = 18,
     .log_acc_buffer = 17},
    {.name = "1x32_15_15_18_17",
     .log_batch = 0,
     .log_block = 5,
     .log_uop_buffer = 15,
     .log_inp_buffer = 15,
     .log_wgt_buffer = 18,
     .log_acc_buffer = 17},
    // The first word of a loop would need 65 bits, so the inner trip count is one bit shorter.
    {.name = "1x16_16_15_18_17",
     .log_batch = 0,
     .log_block = 4,
     .log_uop_buffer = 16,
     .log_inp_buffer = 15,
     .log_wgt_buffer = 18,
     .log_acc_buffer = 17,
     .encoding_assumed = true,
     .iter_in_bits = 13},
    // Micro-op fields need 35 bits and factors 70. Micro-ops therefore have 64 bits, and factors are one bit narrower.
    {.name = "1x16_16_16_19_18",
     .log_batch = 0,
     .log_block = 4,
     .log_uop_buffer = 16,
     .log_inp_buffer = 16,
     .log_wgt_buffer = 19,
     .log_acc_buffer = 18,
     .encoding_assumed = true,
     .log_uop_bytes = 3,
     .factor_trim = 1},
    // VTA's Chisel RTL with its CoreConfig: 2048 micro-ops. Its fields are as wide as those of the first entry, which
    // has 8192 micro-ops.
    {.name = "1x16_13_15_18_17",
     .log_batch = 0,
     .log_block = 4,
     .log_uop_buffer = 13,
     .log_inp_buffer = 15,
     .log_wgt_buffer = 18,
     .log_acc_buffer = 17,
     .uop_field_spare = 2,
     .design = Design::kChisel},
}};

// Returns the configuration with this name: one of kConfigurations, or one whose sizes VTA's encoding supports
// (stated_sizes.h). It exists until the process ends. Errors: kInvalidArgument with the size that exceeds a limit.
Result<const Configuration*> read_configuration(std::string_view name);
// Returns the same, or null on an error.
const Configuration* find_configuration(std::string_view name);

// Multiple accelerators with the same configuration.
struct Instances {
  const Configuration* configuration = &kConfigurations[0];  // from read_configuration()
  int count = 1;
};

inline constexpr int kMaxInstances = 4;

// Parses "1x16_15_15_18_17", or "2_1x16_15_15_18_17" for two instances. Errors: kInvalidArgument with the size
// that exceeds a limit and the known configurations.
Result<Instances> parse_instances(std::string_view text);
// Inverse of parse_instances().
std::string to_text(const Instances& instances);

}  // namespace nestrt::evta
