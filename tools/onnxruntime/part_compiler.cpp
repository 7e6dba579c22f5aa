// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/part_compiler.h"

#include <algorithm>
#include <span>
#include <utility>

#include "compiler-lite/compile.h"
#include "compiler-lite/import/import.h"
#include "compiler-lite/quantize/digest.h"
#include "runtime/platform/aligned_memory.h"
#include "tools/nestc/options/compile_options.h"
#include "tools/support/text/files.h"

namespace nestrt::ort {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Result<compiler::PlanBytes> compiled(const std::string& model, const std::string& target) {
  compiler::CompileOptions options;
  compiler::CompileChoice choice;
  choice.target = target;
  NESTRT_RETURN_IF_ERROR(choice.add_to(options));
  return compiler::compile(bytes_of(model), options);
}

// A plan and the memory that contains it.
struct OwnedPlan {
  AlignedMemory memory;
  std::shared_ptr<const Plan> plan;
};

// Copies the plan to huge pages. There, weights are as fast as in a mapped file, and faster than in small pages.
Result<std::shared_ptr<const Plan>> load(std::span<const std::byte> bytes, Verification verification) {
  const auto owned = std::make_shared<OwnedPlan>();
  NESTRT_ASSIGN_OR_RETURN(owned->memory, AlignedMemory::allocate(bytes.size(), "the plan"));
  owned->memory.request_huge_pages();
  std::copy(bytes.begin(), bytes.end(), owned->memory.data());
  NESTRT_ASSIGN_OR_RETURN(owned->plan, Plan::from_memory({owned->memory.data(), bytes.size()}, verification));
  return std::shared_ptr<const Plan>(owned, owned->plan.get());
}

}  // namespace

Result<std::shared_ptr<const Plan>> PartCompiler::plan_of(const std::string& model) const {
  std::string file;
  if (!folder_.empty()) {
    const std::string identity = compiler::digest(bytes_of(model)) + "\n" + target_ + "\n" + NESTRT_VERSION;
    file = folder_ + "/" + compiler::digest(bytes_of(identity)) + ".nest";
    if (const auto content = tools::read_file(file))
      if (auto known = load(*content, Verification::kComplete)) return std::move(*known);
  }
  NESTRT_ASSIGN_OR_RETURN(compiler::PlanBytes bytes, compiled(model, target_));
  if (!file.empty()) {
    NESTRT_RETURN_IF_ERROR(tools::make_folder(folder_));
    NESTRT_RETURN_IF_ERROR(tools::write_file(file, bytes.span()));
  }
  return load(bytes.span(), Verification::kTables);
}

Status PartCompiler::check(const std::string& model) { return compiler::import_onnx(bytes_of(model)).error(); }

}  // namespace nestrt::ort
