// SPDX-License-Identifier: Apache-2.0
// Runs a first inference in two statements: first_inference PLAN
#include <nestrt/model.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<float> image(3 * 32 * 32);

  auto model = nestrt::Model::open(argv[1]);
  auto outputs = model->run({image});

  if (!outputs) std::fprintf(stderr, "%s\n", outputs.error().to_string().c_str());
  for (float score : outputs->front().values<float>()) std::printf("%g\n", static_cast<double>(score));
}
