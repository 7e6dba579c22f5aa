// SPDX-License-Identifier: Apache-2.0
// Tests, with nestc compile and nestrt simulate, that the launch cost of programs affects the placement of branches.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "test/support/example_files.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

// nest_squeeze on EVTA and a CPU that takes 45 us for every operator.
class Card {
 public:
  Card() {
    const std::vector<float> image(3 * 32 * 32, 1.0f);
    REQUIRE(tools::write_npy(path("samples.npy"), {DataType::kF32, {1, 3, 32, 32}, image.data()}).ok());
    run("nestc", {"compile", kDemoModel, "-o", path("model.nest"), "--quantize", "s8", "--calibrate",
                  path("samples.npy"), "--target", board("0"), "--tuning-cache", "none"});
    const auto plan = Plan::map(path("model.nest"), Verification::kComplete);
    REQUIRE(plan);
    const auto costs = flat_costs(**plan, *open_units("cpu", {.num_threads = 1}), [](const UnitInfo&) { return 45; });
    REQUIRE(write_costs(path("costs"), *costs).ok());
  }

  int branches_on_it(const std::string& launch_us) const {
    run("nestrt", {"simulate", path("model.nest"), "--board", board(launch_us), "--profile", path("costs"), "--json",
                   path("figures.json")});
    std::ifstream file(path("figures.json"));
    return nlohmann::json::parse(file)["npu_branches_optimum"].get<int>();
  }

 private:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string board(const std::string& launch_us) const {
    std::ofstream(path("card.yaml")) << "board: card\nunits:\n  - {unit: cpu, threads: 1}\n"
                                     << "  - {unit: evta, configuration: 1x16_15_15_18_17, clock_mhz: 300, launch_us: "
                                     << launch_us << "}\n";
    return path("card.yaml");
  }
  static void run(const std::string& program, const std::vector<std::string>& arguments) {
    const ProgramResult result = run_program(program, arguments);
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
  }

  const TemporaryFolder folder_;
};

TEST_CASE("Small branches run on a card without launch cost, and on the CPU if a launch takes 100 us") {
  const Card card;
  CHECK(card.branches_on_it("0") > 10);
  CHECK(card.branches_on_it("100") == 0);
}

}  // namespace
}  // namespace nestrt::test
