// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/configuration.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>

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

TEST_CASE("A configuration with other sizes has them and keeps its address") {
  const Configuration* const narrow = find_configuration("1x8_14_13_15_15");
  REQUIRE(narrow != nullptr);
  CHECK(narrow == find_configuration(std::string("1x8_14_13_15_15")));
  CHECK(narrow->name == "1x8_14_13_15_15");
  CHECK(narrow->block() == 8);
  CHECK(narrow->uop_depth() == 4096);
  CHECK(narrow->inp_depth() == 1024);
  CHECK(narrow->wgt_depth() == 512);
  CHECK(narrow->acc_depth() == 1024);
  CHECK_FALSE(narrow->encoding_assumed);
  CHECK(parse_instances("2_1x8_14_13_15_15")->configuration == narrow);
}

TEST_CASE("Sizes that VTA's encoding does not support are rejected with the key, the value and the limit") {
  const auto message = [](const char* name) {
    const auto found = parse_instances(name);
    REQUIRE_FALSE(found);
    return std::string(found.error().message());
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message("2x16_15_15_18_17"), Contains("LOG_BATCH is 1; expected 0"));
  CHECK_THAT(message("1x64_15_15_18_17"), Contains("LOG_BLOCK is 6; expected 3 to 5"));
  CHECK_THAT(message("1x16_15_16_18_18"), Contains("LOG_INP_BUFF_SIZE is 16; expected 10 to 15"));
  CHECK_THAT(message("1x8_15_15_16_17"), Contains("LOG_INP_BUFF_SIZE is 15; expected 9 to 14"));
  CHECK_THAT(message("1x16_15_15_18_18"), Contains("LOG_ACC_BUFF_SIZE is 18; expected 17"));
  CHECK_THAT(message("1x16_15_15_19_17"), Contains("LOG_WGT_BUFF_SIZE is 19; expected 12 to 18"));
  CHECK_THAT(message("1x16_15_13_23_15"), Contains("LOG_WGT_BUFF_SIZE is 23; expected 12 to 22"));
  CHECK_THAT(message("1x8_16_14_16_16"), Contains("LOG_UOP_BUFF_SIZE is 16; expected 11 to 15"));
  CHECK_THAT(message("1x16_10_15_18_17"), Contains("LOG_UOP_BUFF_SIZE is 10; expected 11 to 15"));
  for (const char* const name : {"1x16", "1x16_15_15_18", "1x12_15_15_18_17", "1x16_015_15_18_17", "x16_15_15_18_17",
                                 "1x16_15_15_18_17_", "-1x16_15_15_18_17", "1x99999999999_1_1_1_1"})
    CHECK_THAT(message(name), Contains("expected {batch}x{block}_{uop}_{inp}_{wgt}_{acc}"));
}

TEST_CASE("Every configuration that is found fits VTA's encoding as VTA's header lays it out") {
  int found = 0;
  for (int block = 8; block <= 32; block *= 2)
    for (int uop = 8; uop <= 16; ++uop)
      for (int inp = 8; inp <= 17; ++inp)
        for (int wgt = 8; wgt <= 24; ++wgt) {
          const Configuration* const configuration =
              find_configuration(fmt::format("1x{}_{}_{}_{}_{}", block, uop, inp, wgt, inp + 2));
          if (configuration == nullptr || configuration->encoding_assumed || configuration->uop_field_spare > 0)
            continue;
          ++found;
          const int uop_bits = configuration->uop_index_bits(), acc_bits = configuration->acc_index_bits();
          const int first_word = 3 + 4 + 1 + uop_bits + (uop_bits + 1) + 14 + 14;
          REQUIRE(first_word <= 64);
          REQUIRE(first_word + acc_bits > 64);  // a C compiler places the first factor in the second word
          REQUIRE(4 * acc_bits + 2 * configuration->wgt_index_bits() <= 64);
          REQUIRE(4 * acc_bits + 3 + 1 + 16 <= 64);
          REQUIRE(2 * acc_bits + configuration->wgt_index_bits() <= 32);
        }
  CHECK(found > 400);
}

TEST_CASE("An unknown configuration is not found") {
  CHECK(find_configuration("1x16_15_15_18_18") == nullptr);
  CHECK(find_configuration("") == nullptr);
}

}  // namespace
}  // namespace nestrt::evta
