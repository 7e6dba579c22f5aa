// SPDX-License-Identifier: Apache-2.0
#include "drivers/null/program.h"

#include <fmt/core.h>

#include <cstring>

#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/verify/verify.h"

namespace nestrt::null {
namespace {

Result<std::vector<BlobCopy>> decode_blob(std::span<const std::byte> blob) {
  BlobHeader header;
  if (blob.size() < sizeof header)
    return damaged_plan(fmt::format("a program for unit 'null' of {} bytes has no header", blob.size()));
  std::memcpy(&header, blob.data(), sizeof header);
  if (header.magic != kBlobMagic)
    return Status(Code::kIncompatible,
                  "the program has a format that unit 'null' does not support; recompile the model");
  blob = blob.subspan(sizeof header);
  if (blob.size() % sizeof(BlobCopy) != 0 || blob.size() / sizeof(BlobCopy) != header.copies)
    return damaged_plan(fmt::format("a program for unit 'null' declares {} copies, but its copies have {} bytes",
                                    header.copies, blob.size()));
  std::vector<BlobCopy> copies(header.copies);
  if (!copies.empty()) std::memcpy(copies.data(), blob.data(), blob.size());
  return copies;
}

// Returns an error if the copy is invalid.
Status check(const BlobCopy& copy, std::span<const plan::ProgramRange> ranges) {
  if (copy.from >= ranges.size() || copy.to >= ranges.size())
    return damaged_plan(
        fmt::format("copies range {} to range {}, but has {} ranges", copy.from, copy.to, ranges.size()));
  const plan::ProgramRange &from = ranges[copy.from], &to = ranges[copy.to];
  if (from.access == plan::RangeAccess::kWrite || to.access == plan::RangeAccess::kRead)
    return damaged_plan(fmt::format("copies range {}, which has access {}, to range {}, which has access {}", copy.from,
                                    name(from.access), copy.to, name(to.access)));
  if (from.size != to.size)
    return damaged_plan(
        fmt::format("copies {} bytes of range {} to {} bytes of range {}", from.size, copy.from, to.size, copy.to));
  if (from.layout != plan::RangeLayout::kPlain || to.layout != plan::RangeLayout::kPlain)
    return Status(Code::kUnsupported,
                  "copies in a layout that differs from the tensors'; unit 'null' does not convert layouts");
  return {};
}

// Checks that every byte of a result range is written, because readers rely on it.
Status check_all_are_written(std::span<const BlobCopy> copies, std::span<const plan::ProgramRange> ranges) {
  std::vector<bool> written(ranges.size(), false);
  for (const BlobCopy& copy : copies) written[copy.to] = true;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].access == plan::RangeAccess::kWrite && !written[i])
      return damaged_plan(fmt::format("does not write the result range {}", i));
  return {};
}

Place place_of(const plan::ProgramRange& range, const Plan& plan, const plan::Program& program) {
  if (range.tensor < 0) return {program.segments[range.segment], range.offset};
  const plan::Tensor& tensor = plan.tables().tensors[static_cast<uint32_t>(range.tensor)];
  return {tensor.buffer, tensor.offset + range.offset};
}

}  // namespace

std::vector<std::byte> encode_blob(std::span<const BlobCopy> copies) {
  BlobHeader header;
  header.copies = static_cast<uint32_t>(copies.size());
  std::vector<std::byte> blob(sizeof header + copies.size_bytes());
  std::memcpy(blob.data(), &header, sizeof header);
  if (!copies.empty()) std::memcpy(blob.data() + sizeof header, copies.data(), copies.size_bytes());
  return blob;
}

Result<std::vector<Copy>> read_program(const Plan& plan, const plan::Program& program) {
  if (program.kind != plan::ProgramKind::kBlob)
    return damaged_plan(fmt::format("a program for unit 'null' is of kind {}", plan::name(program.kind)));
  if (!program.configuration.empty() && program.configuration != kConfiguration)
    return Status(Code::kIncompatible,
                  fmt::format("the program is for configuration '{}', but the unit has '{}'; recompile the model",
                              program.configuration, kConfiguration));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<BlobCopy> blob, decode_blob(plan.constant(program.segments[0])));
  std::vector<Copy> copies;
  for (const BlobCopy& copy : blob) {
    NESTRT_RETURN_IF_ERROR(check(copy, program.ranges).with_context(fmt::format("copy {}", copies.size())));
    copies.push_back({place_of(program.ranges[copy.from], plan, program),
                      place_of(program.ranges[copy.to], plan, program), program.ranges[copy.from].size});
  }
  NESTRT_RETURN_IF_ERROR(check_all_are_written(blob, program.ranges));
  return copies;
}

}  // namespace nestrt::null
