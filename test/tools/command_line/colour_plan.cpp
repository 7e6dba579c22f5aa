// SPDX-License-Identifier: Apache-2.0
// Writes the plan that the tests of the nestrt command run: colour_plan FILE
#include <cstdio>
#include <utility>

#include "test/support/plan/sample_plans.h"
#include "tools/support/text/files.h"

namespace nestrt::test {
namespace {

PlanFile preprocessed_colour_plan() {
  PlanBuilder builder = colour_plan();
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
  const nestrt::Status status = nestrt::tools::write_file(argv[1], nestrt::test::preprocessed_colour_plan().bytes());
  if (!status.ok()) std::fprintf(stderr, "colour_plan: %s\n", status.to_string().c_str());
  return status.ok() ? 0 : 2;
}
