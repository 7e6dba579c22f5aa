// SPDX-License-Identifier: Apache-2.0
// Classifies an image: classify PLAN IMAGE LABELS
//
// The plan specifies how an image is converted to its input (nestc compile --mean ... --scale ...), so this program
// needs no information about the network. Decoding and preprocessing come from nestrt's tools, which are not installed,
// so the program is built with the project (example_classify). classify.c implements them itself and needs only an
// installed libnestrt.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/image.h"
#include "tools/support/image/labels.h"
#include "tools/support/image/preprocess.h"

namespace {

int fail(const nestrt::Status& status) {
  std::fprintf(stderr, "classify: %s\n", status.to_string().c_str());
  return 2;
}

nestrt::Status classify(const std::string& plan_path, const std::string& image_path, const std::string& labels) {
  NESTRT_ASSIGN_OR_RETURN(const auto lines, nestrt::tools::read_class_names(labels));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, nestrt::Plan::map(plan_path, nestrt::Verification::kComplete));
  NESTRT_ASSIGN_OR_RETURN(auto units, nestrt::open_units("cpu"));
  NESTRT_ASSIGN_OR_RETURN(const auto session, nestrt::Session::create(plan, std::move(units)));

  const nestrt::Preprocessing* preprocessing = plan->inputs().empty() ? nullptr : plan->preprocessing(0);
  if (preprocessing == nullptr || plan->inputs().size() != 1 || plan->outputs().size() != 1 ||
      plan->outputs()[0].type != nestrt::DataType::kF32) {
    return {nestrt::Code::kInvalidArgument, "the plan is not an image classifier; compile it with --mean and --scale"};
  }
  NESTRT_ASSIGN_OR_RETURN(const auto image, nestrt::tools::read_image(image_path));
  NESTRT_ASSIGN_OR_RETURN(const auto pixels, nestrt::tools::preprocess(image, *preprocessing, plan->inputs()[0]));

  std::vector<float> scores(static_cast<size_t>(plan->outputs()[0].shape.num_elements()));
  const auto input = nestrt::tensor_view(std::span(pixels), plan->inputs()[0].shape);
  const auto output = nestrt::tensor_view(std::span(scores), plan->outputs()[0].shape);
  NESTRT_RETURN_IF_ERROR(session->run({&input, 1}, {&output, 1}));

  const auto& names = lines.lines();
  for (const size_t index : nestrt::tools::largest(scores, 3)) {
    const std::string_view name = index < names.size() ? names[index] : "(no label)";
    std::printf("%8.4f  %.*s\n", scores[index], static_cast<int>(name.size()), name.data());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: classify PLAN IMAGE LABELS\n");
    return 2;
  }
  const nestrt::Status status = classify(argv[1], argv[2], argv[3]);
  return status.ok() ? 0 : fail(status);
}
