// Writes the plan that the tests of the nestrt command run: colour_plan FILE
//
// It tells the prevailing colour of a picture, red, green or blue: the mean of each channel of 1x3x32x32, then a
// softmax. The output's name needs mending to become a file's.
#include <cstdio>
#include <memory>
#include <utility>

#include "test/support/plan_builder.h"
#include "tools/common/files.h"

namespace nestrt::test {
namespace {

PlanFile colour_plan() {
  PlanBuilder builder;
  const int image = builder.input("image", {1, 3, 32, 32});
  const int mean = builder.arena("mean", {1, 3});
  const int colour = builder.output("colour/0", {1, 3});
  ops::Reduce reduce;
  reduce.kind = ops::ReduceKind::kMean;
  reduce.axes = {2, 3};
  reduce.keep_dims = false;
  builder.op("average", std::move(reduce), {image}, {mean});
  ops::Softmax softmax;
  softmax.axis = 1;
  builder.op("softmax", softmax, {mean}, {colour});
  Preprocessing preprocessing;
  preprocessing.mean = {128, 128, 128};
  preprocessing.scale = {0.015625f, 0.015625f, 0.015625f};
  preprocessing.resize = 32;
  builder.tables().inputs[0].preprocessing = std::move(preprocessing);
  return builder.build();
}

}  // namespace
}  // namespace nestrt::test

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const nestrt::Status status = nestrt::tools::write_file(argv[1], nestrt::test::colour_plan().bytes());
  if (!status.ok()) std::fprintf(stderr, "colour_plan: %s\n", status.to_string().c_str());
  return status.ok() ? 0 : 2;
}
