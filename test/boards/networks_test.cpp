// Whole networks, quantized by nestc for CPU and EVTA, through XRT: the same bytes as on the CPU alone.
#include <catch2/catch.hpp>
#include <random>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/boards/evta_board.h"
#include "test/support/evta_configuration.h"
#include "test/support/flat_costs.h"
#include "test/support/program.h"
#include "test/support/shared_data.h"
#include "test/support/temporary_folder.h"
#include "test/support/test_level.h"
#include "tools/common/npy.h"

namespace nestrt::boards {
namespace {

std::vector<float> picture(int64_t elements, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(elements));
  for (float& value : values) value = static_cast<float>(random() % 256) - 128;
  return values;
}

// `extent`: height and width of the network's pictures.
std::shared_ptr<const Plan> compile(const std::string& model, int64_t extent) {
  const test::TemporaryFolder folder;
  const std::string samples = folder.path() + "/samples.npy", plan = folder.path() + "/model.nest";
  const std::vector<float> values = picture(2 * 3 * extent * extent, 1);
  REQUIRE(tools::write_npy(samples, {DataType::kF32, {2, 3, extent, extent}, values.data()}).ok());
  const test::ProgramResult result =
      test::run_program("nestc", {"compile", model, "-o", plan, "--quantize", "s8", "--calibrate", samples, "--target",
                                  "zcu102", "--tuning-cache", "none"});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  auto mapped = Plan::map(plan, Verification::kComplete);
  if (!mapped) FAIL(mapped.error().to_string());
  return *mapped;
}

std::vector<float> run(Session& session, const Plan& plan, uint32_t seed) {
  const std::vector<float> x = picture(plan.inputs()[0].shape.num_elements(), seed);
  std::vector<float> y(static_cast<size_t>(plan.outputs()[0].shape.num_elements()), -1.0f);
  const ConstTensorView input{DataType::kF32, plan.inputs()[0].shape, x.data()};
  const TensorView output{DataType::kF32, plan.outputs()[0].shape, y.data()};
  const Status status = session.run({&input, 1}, {&output, 1});
  CAPTURE(status.to_string());
  CHECK(status.ok());
  return y;
}

std::unique_ptr<Session> open_session(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  SessionOptions options;
  options.measure = false;
  options.reschedule_drift = 0;
  options.costs = test::flat_costs(*plan, units, [](const UnitInfo& unit) { return unit.is_host ? 100 : 10; });
  auto session = Session::create(plan, units, options);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

void check_network(const std::string& model, int64_t extent, const XclbinDescription& xclbin) {
  INFO(model);
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration());
  const auto plan = compile(model, extent);
  const UnitList host = *open_units("cpu", {.num_threads = 2});
  UnitList both = host;
  both.push_back(open_unit(options_for(xclbin), evta::test::stock_configuration()));
  const auto alone = open_session(plan, host), together = open_session(plan, both);
  const int before = board.runs_started();
  for (uint32_t seed = 2; seed < 5; ++seed) CHECK(run(*together, *plan, seed) == run(*alone, *plan, seed));
  CHECK(together->healed_branches() == 0);
  CHECK(board.runs_started() - before >= 3);
}

TEST_CASE("nest_squeeze computes the same on CPU and board together as on the CPU alone") {
  const std::string model = NESTRT_SOURCE_DIR "/examples/models/nest_squeeze_cifar10.onnx";
  check_network(model, 32, kernel_xclbin());
}

TEST_CASE("nest_squeeze computes the same on the four stages as on the CPU alone") {
  const std::string model = NESTRT_SOURCE_DIR "/examples/models/nest_squeeze_cifar10.onnx";
  check_network(model, 32, stages_xclbin());
}

TEST_CASE("ResNet-20 and SqueezeNet compute the same on CPU and board together as on the CPU alone") {
  const auto folder = test::shared_data("models");
  if (!folder) return;
  check_network(*folder / "resnet20.onnx", 32, kernel_xclbin());
  if (test::test_level() != test::TestLevel::kQuick)
    check_network(*folder / "squeezenet1.1.onnx", 224, kernel_xclbin());
}

}  // namespace
}  // namespace nestrt::boards
