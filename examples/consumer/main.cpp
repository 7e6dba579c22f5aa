// SPDX-License-Identifier: Apache-2.0
// Runs a plan once on inputs of zeros: consumer PLAN
#include <nestrt/open_units.h>
#include <nestrt/plan.h>
#include <nestrt/session.h>

#include <cstdio>
#include <vector>

namespace {

using Memory = std::vector<std::vector<std::byte>>;

std::vector<nestrt::TensorView> make_views(std::span<const nestrt::TensorInfo> infos, Memory& memory) {
  std::vector<nestrt::TensorView> views;
  for (const nestrt::TensorInfo& info : infos) {
    memory.emplace_back(info.size_bytes());
    views.push_back({info.type, info.shape, memory.back().data()});
  }
  return views;
}

nestrt::Status run(const char* path) {
  NESTRT_ASSIGN_OR_RETURN(auto plan, nestrt::Plan::map(path));
  NESTRT_ASSIGN_OR_RETURN(auto units, nestrt::open_units("cpu"));
  NESTRT_ASSIGN_OR_RETURN(auto session, nestrt::Session::create(plan, units));
  Memory memory;
  const auto inputs = make_views(session->inputs(), memory);
  const auto outputs = make_views(session->outputs(), memory);
  NESTRT_RETURN_IF_ERROR(session->run(std::vector<nestrt::ConstTensorView>(inputs.begin(), inputs.end()), outputs));
  for (const nestrt::TensorInfo& output : session->outputs()) {
    std::printf("%s: %s\n", output.name.c_str(), output.shape.to_string().c_str());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: consumer PLAN\n");
    return 2;
  }
  const nestrt::Status status = run(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "consumer: %s\n", status.to_string().c_str());
  return status.ok() ? 0 : 2;
}
