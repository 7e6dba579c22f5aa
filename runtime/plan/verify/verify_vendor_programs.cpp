// SPDX-License-Identifier: Apache-2.0
// Blobs of vendors and the facts about them. Drivers join the segments of a blob in memory, for which
// verify_program_uses() has budgets, and pass names as C strings.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "runtime/plan/format/format.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

class VendorCheck {
 public:
  VendorCheck(const Context& context, size_t branch) : context_(context), branch_(branch) {}

  Status verify(const plan::Program& program) {
    if (program.kind != plan::ProgramKind::kBlob)
      return program.vendor ? fail("has facts of a vendor, but is not a vendor's program") : Status();
    NESTRT_RETURN_IF_ERROR(verify_blob(program));
    if (!program.vendor) return {};
    NESTRT_RETURN_IF_ERROR(verify_facts(program, *program.vendor));
    return verify_files(program.vendor->files);
  }

 private:
  Status fail(const std::string& what) const {
    return damaged_plan(fmt::format("branch {}: a program {}", branch_, what));
  }

  // Different segments ensure that a blob is not larger than the data area.
  Status verify_blob(const plan::Program& program) {
    const std::set<uint32_t> different(program.segments.begin(), program.segments.end());
    if (different.size() != program.segments.size()) return fail("has a blob with the same segment twice");
    blob_bytes_ = 0;
    for (const uint32_t segment : program.segments) blob_bytes_ += context_.plan.buffers[segment].size;
    return {};
  }

  Status verify_facts(const plan::Program& program, const plan::VendorFacts& facts) const {
    if (!facts.port_names.empty() && facts.port_names.size() != program.ranges.size())
      return fail(fmt::format("has {} names for {} ports", facts.port_names.size(), program.ranges.size()));
    if (!std::ranges::all_of(facts.port_names, is_text)) return fail("has a port with an invalid name");
    if (!is_text(facts.on_cpu)) return fail("has an invalid description of the operators on the CPU");
    // The negation also rejects NaN.
    if (!(facts.npu_share <= 1))
      return fail(fmt::format("has an invalid npu_share of {}; expected at most 1", facts.npu_share));
    return {};
  }

  Status verify_files(const std::vector<plan::VendorFacts::File>& files) const {
    if (files.size() > plan_format::kMaxVendorFiles)
      return fail(fmt::format("has {} files; at most {} are supported", files.size(), plan_format::kMaxVendorFiles));
    uint64_t free = 0;
    for (const plan::VendorFacts::File& file : files) {
      if (file.name.empty() || !is_text(file.name)) return fail("has a file with an invalid name");
      if (file.offset < free || file.offset > blob_bytes_ || file.size > blob_bytes_ - file.offset)
        return fail(
            fmt::format("has a file of {} bytes at offset {} that is not within its blob of {} bytes, after "
                        "the previous file",
                        file.size, file.offset, blob_bytes_));
      free = file.offset + file.size;
    }
    return {};
  }

  static bool is_text(const std::string& text) {
    return text.size() <= plan_format::kMaxVendorText && text.find('\0') == std::string::npos;
  }

  const Context& context_;
  const size_t branch_;
  uint64_t blob_bytes_ = 0;
};

}  // namespace

Status verify_vendor_programs(Context& context) {
  for (size_t branch = 0; branch < context.plan.branches.size(); ++branch) {
    VendorCheck check(context, branch);
    for (const plan::Program& program : context.plan.branches[branch].programs)
      NESTRT_RETURN_IF_ERROR(check.verify(program));
  }
  return {};
}

}  // namespace nestrt::plan_verify
