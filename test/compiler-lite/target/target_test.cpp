// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/target/target_description.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

std::string refusal(const Result<TargetDescription>& target) {
  REQUIRE_FALSE(target);
  CHECK(target.error().code() == Code::kInvalidArgument);
  return std::string(target.error().message());
}

std::string board(const std::string& units) { return "board: test\nunits:\n" + units; }

TEST_CASE("The host is a CPU") {
  const auto target = read_target("host");
  REQUIRE(target);
  REQUIRE(target->units.size() == 1);
  CHECK(target->units[0].kind == "cpu");
}

TEST_CASE("CPUs of several levels form one target, in any order") {
  using enum InstructionSet;
  CHECK(read_target("x86-64-v3")->instruction_sets == std::vector{kAvx2});
  CHECK(read_target("x86-64-v4-amx")->instruction_sets == std::vector{kAvx512Amx});
  CHECK(read_target("aarch64,x86-64-v3")->instruction_sets == std::vector{kNeon, kAvx2});
  CHECK(read_target("x86-64-v3,aarch64")->instruction_sets == std::vector{kNeon, kAvx2});
  CHECK(read_target("zcu102")->instruction_sets == std::vector{kNeon});
  const auto both = read_target("zcu102,x86-64-v4");
  REQUIRE(both);
  CHECK(both->instruction_sets == std::vector{kNeon, kAvx512, kAvx512Vnni, kAvx512Amx});
  CHECK(both->units.size() == 2);
  CHECK(host_target().instruction_sets == read_target("host")->instruction_sets);
}

TEST_CASE("A unit without a CPU uses the host's CPU") {
  CHECK(read_target("evta")->instruction_sets == host_target().instruction_sets);
  CHECK(read_target("evta")->units.size() == 2);
}

TEST_CASE("A unit list can name configurations") {
  const auto target = read_target("evta:1x32_15_15_18_17,cpu");
  REQUIRE(target);
  REQUIRE(target->units.size() == 2);
  CHECK(target->units[0].kind == "cpu");
  CHECK(target->units[1].kind == "evta");
  CHECK(target->units[1].configuration == "1x32_15_15_18_17");
  CHECK(read_target("cpu,evta")->units[1].configuration == "1x16_15_15_18_17");
}

std::string vta_config(int log_acc_buffer) {
  return "{\"LOG_INP_WIDTH\": 3, \"LOG_WGT_WIDTH\": 3, \"LOG_ACC_WIDTH\": 5, \"LOG_BATCH\": 0, \"LOG_BLOCK\": 3,"
         "\"LOG_UOP_BUFF_SIZE\": 14, \"LOG_INP_BUFF_SIZE\": 13, \"LOG_WGT_BUFF_SIZE\": 15, \"LOG_ACC_BUFF_SIZE\": " +
         std::to_string(log_acc_buffer) + "}";
}

TEST_CASE("A unit list or a board file can name a vta_config.json") {
  const nestrt::test::TemporaryFolder folder;
  const std::string config = folder.write_text("vta_config.json", vta_config(15));
  const auto list = read_target("cpu,evta:" + config);
  REQUIRE(list);
  CHECK(list->units[1].configuration == "1x8_14_13_15_15");
  const std::string path = folder.write_text(
      "mine.yaml", board("  - unit: cpu\n  - {unit: evta, configuration: vta_config.json, instances: 2}\n"));
  const auto mine = read_target(path);
  REQUIRE(mine);
  CHECK(mine->units[1].configuration == "1x8_14_13_15_15");
  CHECK(mine->units[1].instances == 2);
  folder.write_text("vta_config.json", vta_config(16));
  CHECK_THAT(refusal(read_target(path)), Contains("mine.yaml") && Contains("LOG_ACC_BUFF_SIZE is 16; expected 15"));
  CHECK_THAT(refusal(read_target("cpu,evta:" + config)), Contains("LOG_ACC_BUFF_SIZE is 16; expected 15"));
}

TEST_CASE("A configuration determines the number of instances") {
  const auto target = read_target("cpu,evta:2_1x32_15_15_18_17");
  REQUIRE(target);
  CHECK(target->units[1].configuration == "1x32_15_15_18_17");
  CHECK(target->units[1].instances == 2);
  CHECK_FALSE(read_target("cpu,evta:5_1x32_15_15_18_17"));
}

TEST_CASE("An invalid unit list is rejected, and the error lists the valid items") {
  CHECK_THAT(refusal(read_target("toaster")),
             Contains("'toaster'") && Contains("units are cpu, evta") && Contains("x86-64-v3"));
  CHECK_THAT(refusal(read_target("cpu,evta:2x2")), Contains("1x16_15_15_18_17"));
  CHECK_THAT(refusal(read_target("cpu,evta,evta")), Contains("named twice"));
  CHECK_THAT(refusal(read_target("cpu:fast")), Contains("does not support configuration"));
  for (const char* text : {"", ",", "cpu,", "cpu,evta:"}) CHECK_FALSE(read_target(text));
}

TEST_CASE("Every board file of the project is a target") {
  int boards = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NESTRT_SOURCE_DIR "/boards")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto target = read_target(entry.path());
    INFO(entry.path());
    REQUIRE(target);
    CHECK(target->name == entry.path().stem());
    CHECK(target->units[0].kind == "cpu");
    ++boards;
  }
  CHECK(boards > 0);
}

TEST_CASE("A board file specifies units, clocks and buses") {
  const auto target = parse_board(
      board("  - {unit: evta, configuration: 1x16_15_15_18_17, instances: 2, clock_mhz: 250, bus_bits: 64}\n"
            "  - {unit: cpu}\n"),
      "test");
  REQUIRE(target);
  CHECK(target->name == "test");
  REQUIRE(target->units.size() == 2);
  CHECK(target->units[1].instances == 2);
  CHECK(target->units[1].clock_mhz == 250);
  CHECK(target->units[1].bus_bits == 64);
}

TEST_CASE("A board file specifies the caches of the CPU's cores") {
  const auto target =
      parse_board(board("  - {unit: cpu, caches: {l1d_kib: 48, l2_kib: 2048, line_bytes: 128}}\n"), "test");
  REQUIRE(target);
  CHECK(target->units[0].caches.l1d_bytes == 48 * 1024);
  CHECK(target->units[0].caches.l2_bytes == 2048 * 1024);
  CHECK(target->units[0].caches.line_bytes == 128);
  const auto zcu102 = read_target("zcu102");
  REQUIRE(zcu102);
  CHECK(zcu102->units[0].caches.l1d_bytes == 32 * 1024);
  CHECK(zcu102->units[0].caches.l2_bytes == 1024 * 1024);
  CHECK(zcu102->units[0].caches.line_bytes == 64);
  CHECK(host_target().units[0].caches.l1d_bytes == 0);
}

TEST_CASE("Invalid caches are rejected with their line") {
  const auto complaint = [](const std::string& caches) {
    return refusal(parse_board(board("  - {unit: cpu, caches: " + caches + "}\n"), "b.yaml"));
  };
  CHECK_THAT(complaint("32"), Contains("line 3") && Contains("{l1d_kib, l2_kib, line_bytes}"));
  CHECK_THAT(complaint("{l1d_kib: 32, l2_kib: 1024}"), Contains("'line_bytes' is missing"));
  CHECK_THAT(complaint("{l1d_kib: 32, l2_kib: 1024, line_bytes: 64, l3_kib: 1}"),
             Contains("'l3_kib' is not a known key"));
  CHECK_THAT(complaint("{l1d_kib: 0, l2_kib: 1024, line_bytes: 64}"), Contains("l1d_kib"));
  CHECK_THAT(complaint("{l1d_kib: 32, l2_kib: 1024, line_bytes: 48}"), Contains("power of two"));
  CHECK_THAT(complaint("{l1d_kib: 32, l2_kib: 16, line_bytes: 64}"), Contains("at least l1d_kib"));
  const std::string evta = "  - {unit: evta, configuration: 1x16_15_15_18_17, ";
  CHECK_THAT(refusal(parse_board(
                 board("  - {unit: cpu}\n" + evta + "caches: {l1d_kib: 1, l2_kib: 1, line_bytes: 64}}\n"), "b.yaml")),
             Contains("line 4") && Contains("only a unit 'cpu'"));
}

TEST_CASE("An invalid board file is rejected with its line") {
  const auto complaint = [](const std::string& yaml) { return refusal(parse_board(yaml, "b.yaml")); };
  CHECK_THAT(complaint("[]"), Contains("b.yaml") && Contains("{board, units}"));
  CHECK_THAT(complaint("board: x\n"), Contains("'units' is missing"));
  CHECK_THAT(complaint("board: [\n"), Contains("malformed YAML"));
  CHECK_THAT(complaint(board("  - {unit: cpu, cores: 4}\n")),
             Contains("line 3") && Contains("'cores' is not a known key"));
  CHECK_THAT(complaint(board("  - {unit: cpu}\n  - {unit: evta, configuration: 3x3}\n")), Contains("line 4"));
  CHECK_THAT(complaint(board("  - {unit: cpu, clock_mhz: -1}\n")), Contains("clock_mhz"));
  CHECK_THAT(complaint(board("  - {unit: cpu, instances: 2}\n")), Contains("instances"));
  const std::string evta = "  - {unit: evta, configuration: 2_1x16_15_15_18_17, ";
  CHECK_THAT(complaint(board(evta + "instances: 5}\n")), Contains("instances"));
  CHECK_THAT(complaint(board(evta + "instances: 2}\n")), Contains("specified twice"));
  CHECK_THAT(complaint(board(evta + "bus_bits: 100}\n")), Contains("power of two"));
  CHECK_THAT(complaint(board(evta + "bus_bits: 1024}\n")), Contains("bus_bits: expected a number from 32 to 512"));
  CHECK_THAT(complaint(board(evta + "bus_bits: 64, bus_bits: 128}\n")), Contains("'bus_bits' is listed twice"));
  CHECK_THAT(complaint(board("  - {unit: evta, configuration: 1x16_15_15_18_17}\n")), Contains("a unit 'cpu'"));
}

TEST_CASE("A card on PCIe has several instances of its accelerator and the cost of transfers to them") {
  const auto u280 = read_target("u280");
  REQUIRE(u280);
  REQUIRE(u280->units.size() == 2);
  const UnitDescription& evta = u280->units[1];
  CHECK(evta.instances == 2);
  CHECK(evta.launch_us >= 50);  // reported start time of a kernel
  CHECK(evta.overhead.mb_per_s == 3000);
  CHECK(u280->instruction_sets == host_target().instruction_sets);
}

}  // namespace
}  // namespace nestrt::compiler
