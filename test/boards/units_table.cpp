// SPDX-License-Identifier: Apache-2.0
// The table of the units under test for the conformance suite (test/drivers/conformance): EVTA behind XRT.
#include <catch2/catch.hpp>

#include "runtime/kernel/packing.h"
#include "test/boards/emulation/evta_board.h"
#include "test/drivers/conformance/units_under_test.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::test {
namespace {

class FaultsOfBoard final : public FaultControl {
 public:
  void fail_next_run() override { faults().next_run(boards::RunFault::kError); }
  void hang_next_run() override { faults().next_run(boards::RunFault::kHang); }
  void forget() override { faults().forget(); }
  bool all_begun() override { return faults().all_begun(); }

 private:
  static boards::BoardFaults& faults() { return boards::Board::instance().faults(); }
};

OpenedUnit open_on_board(const evta::Configuration& configuration, const boards::XclbinDescription& xclbin,
                         bool coherent, int instance = 0) {
  boards::Board& board = boards::Board::instance();
  board.faults().forget();
  board.set_configuration(configuration);
  board.set_coherent(coherent);
  evta::XrtOptions options = boards::options_for(xclbin);
  options.instance = instance;
  return {boards::open_unit(options, configuration), std::make_shared<FaultsOfBoard>()};
}

UnitUnderTest row_of(const evta::Configuration& configuration, const boards::XclbinDescription& xclbin) {
  UnitUnderTest row = evta_under_test(configuration);
  row.name += " behind XRT";
  row.open = [&configuration, xclbin] { return open_on_board(configuration, xclbin, false); };
  row.exclusions = {
      {"the emulated board runs in this process and allocates memory", {"runs with known buffers allocate no memory"}}};
  return row;
}

#ifdef __aarch64__  // cards on PCIe have no such port
UnitUnderTest coherent_row(const evta::Configuration& configuration, const boards::XclbinDescription& xclbin) {
  UnitUnderTest row = row_of(configuration, xclbin);
  row.name += " on a coherent port";
  row.open = [&configuration, xclbin] { return open_on_board(configuration, xclbin, true); };
  return row;
}
#endif

UnitUnderTest stages_row(UnitUnderTest row) {
  Exclusion no_reset = {"the stages have no reset, so a hang makes the accelerator unusable", cases_that_stop_a_run()};
  no_reset.cases.push_back("a program with a changed byte is rejected or stays in its memory");
  no_reset.cases.push_back("the host replaces a hanging unit after its time limit");
  row.exclusions.push_back(std::move(no_reset));
  row.exclusions.push_back(
      {"the stages do not report failed accesses",
       {"a run that fails ends with the reason and a probe restores the unit",
        "a unit reports a failed probe and is restored by a successful one",
        "a failed run accesses no memory afterwards", "submissions after a run that fails are also answered",
        "the host replaces a failed unit within the same run", "without a host the session fails with its unit"}});
  return row;
}

UnitUnderTest separate_stages_row(const evta::Configuration& configuration) {
  UnitUnderTest row = row_of(configuration, boards::stages_xclbin());
  row.name += " as four stages";
  return stages_row(std::move(row));
}

#ifndef __aarch64__
// The second kernel, whose bank is beyond 4 GiB.
UnitUnderTest user_managed_row(const evta::Configuration& configuration) {
  UnitUnderTest row = row_of(configuration, boards::user_managed_xclbin());
  row.name += " as a user-managed kernel";
  row.open = [&configuration] { return open_on_board(configuration, boards::user_managed_xclbin(), false, 1); };
  return stages_row(std::move(row));
}
#endif

}  // namespace

const std::vector<UnitUnderTest>& units_under_test() {
  static const std::vector<UnitUnderTest> kUnits = {
      row_of(evta::test::stock_configuration(), boards::kernel_xclbin()),
      row_of(*evta::find_configuration("1x32_15_15_18_17"), boards::kernel_xclbin()),
      separate_stages_row(evta::test::stock_configuration()),
#ifdef __aarch64__
      coherent_row(evta::test::stock_configuration(), boards::kernel_xclbin()),
#else
      user_managed_row(evta::test::stock_configuration()),
#endif
  };
  return kUnits;
}

}  // namespace nestrt::test
