// SPDX-License-Identifier: Apache-2.0
// The table of the units under test for the conformance suite (test/drivers/conformance): EVTA without XRT.
#include "test/drivers/conformance/units_under_test.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::test {
namespace {

// Keeps the board as long as the unit may use it.
class FaultsOfUioBoard final : public FaultControl {
 public:
  explicit FaultsOfUioBoard(std::shared_ptr<boards::UioBoard> board) : board_(std::move(board)) {}

  void fail_next_run() override { board_->faults().next_run(boards::RunFault::kError); }
  void hang_next_run() override { board_->faults().next_run(boards::RunFault::kHang); }
  void forget() override { board_->faults().forget(); }
  bool all_begun() override { return board_->faults().all_begun(); }

 private:
  const std::shared_ptr<boards::UioBoard> board_;
};

OpenedUnit open_on_uio_board(const boards::UioBoardOptions& board_options) {
  auto board = std::make_shared<boards::UioBoard>(board_options);
  evta::UioOptions options = boards::uio_options();
  options.configuration = board_options.configuration;
  // The unit must be released before the board.
  auto faults = std::make_shared<FaultsOfUioBoard>(board);
  std::shared_ptr<Unit> unit = boards::open_uio_unit(options);
  Unit* const raw = unit.get();
  return {std::shared_ptr<Unit>(raw,
                                [unit = std::move(unit), board = std::move(board)](Unit*) mutable {
                                  unit.reset();
                                  board.reset();
                                }),
          std::move(faults)};
}

UnitUnderTest uio_row(std::string name, const boards::UioBoardOptions& board) {
  UnitUnderTest row = evta_under_test(*board.configuration);
  row.name += " without XRT" + std::move(name);
  row.open = [board] { return open_on_uio_board(board); };
  row.exclusions = {
      {"the board computes in the process, and asks for memory there", {"runs with known buffers allocate no memory"}}};
  Exclusion no_reset = {"its stages have no reset: what hangs is lost, and so is the accelerator",
                        cases_that_stop_a_run()};
  no_reset.cases.push_back("a program with a changed byte is rejected or stays in its memory");
  no_reset.cases.push_back("the host replaces a hanging unit after its time limit");
  row.exclusions.push_back(std::move(no_reset));
  row.exclusions.push_back(
      {"its stages do not report failed accesses",
       {"a run that fails ends with the reason and a probe restores the unit",
        "a unit reports a failed probe and is restored by a successful one",
        "a failed run accesses no memory afterwards", "submissions after a run that fails are also answered",
        "the host replaces a failed unit within the same run", "without a host the session fails with its unit"}});
  return row;
}

}  // namespace

const std::vector<UnitUnderTest>& units_under_test() {
  static const std::vector<UnitUnderTest> kUnits = {
      uio_row("", {}),
      uio_row("", {.configuration = evta::find_configuration("1x32_15_15_18_17")}),
      uio_row(", on a coherent port", {.is_coherent = true}),
      uio_row(", with a device per stage and no interrupt", {.has_node_per_stage = true, .has_interrupt = false}),
  };
  return kUnits;
}

}  // namespace nestrt::test
