// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/configuration.h"

#include <catch2/catch.hpp>

#include "drivers/evta/isa/fields.h"

namespace nestrt::evta {
namespace {

TEST_CASE("The exact configurations have the sizes of VTA's header") {
  const Configuration& small = *find_configuration("1x16_15_15_18_17");
  CHECK(small.inp_bytes() == 16);
  CHECK(small.wgt_bytes() == 256);
  CHECK(small.acc_bytes() == 64);
  CHECK(small.out_bytes() == 16);
  CHECK(small.uop_depth() == 8192);
  CHECK(small.inp_depth() == 2048);
  CHECK(small.wgt_depth() == 1024);
  CHECK(small.acc_depth() == 2048);
  CHECK(small.macs_per_cycle() == 256);
  const Configuration& wide = *find_configuration("1x32_15_15_18_17");
  CHECK(wide.inp_bytes() == 32);
  CHECK(wide.wgt_bytes() == 1024);
  CHECK(wide.acc_bytes() == 128);
  CHECK(wide.inp_depth() == 1024);
  CHECK(wide.wgt_depth() == 256);
  CHECK(wide.acc_depth() == 1024);
  CHECK(wide.macs_per_cycle() == 1024);
}

TEST_CASE("A configuration is exact if the stock encoding supports it") {
  for (const Configuration& configuration : kConfigurations) {
    Configuration stock = configuration;
    stock.log_uop_bytes = 2;
    stock.iter_out_bits = stock.iter_in_bits = 14;
    stock.factor_trim = 0;
    CHECK(isa::fits(stock) == !configuration.encoding_assumed);
    CHECK(isa::fits(configuration));
  }
}

TEST_CASE("The stock encoding exceeds its width for larger buffers by the number of bits in VTA's header") {
  Configuration large = *find_configuration("1x16_16_16_19_18");
  large.log_uop_bytes = 2;
  large.factor_trim = 0;
  CHECK(isa::most_instruction_bits(large) == 70);
  CHECK(isa::micro_op_bits(large) == 35);
  Configuration micro_ops = *find_configuration("1x16_16_15_18_17");
  micro_ops.iter_in_bits = 14;
  CHECK(isa::most_instruction_bits(micro_ops) == 65);
}

TEST_CASE("An unknown configuration is not found") {
  CHECK(find_configuration("1x16_15_15_18_18") == nullptr);
  CHECK(find_configuration("") == nullptr);
}

}  // namespace
}  // namespace nestrt::evta
