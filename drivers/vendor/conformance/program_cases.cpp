// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "drivers/vendor/conformance/cases.h"

namespace nestrt::vendor::cases {
namespace {

// Returns a copy of the blob with the required alignment.
Result<AlignedMemory> copy_of(std::span<const std::byte> blob) {
  NESTRT_ASSIGN_OR_RETURN(AlignedMemory copy, AlignedMemory::allocate(blob.size() + 1, "a blob"));
  if (!blob.empty()) std::memcpy(copy.data(), blob.data(), blob.size());
  return copy;
}

// Checks that the blob is rejected with the right error.
Status check_refused(Device& device, std::span<const std::byte> blob, const ConformanceProgram& like,
                     std::string_view what) {
  // Drops files that extend beyond the blob.
  ConformanceProgram part = like;
  part.blob = blob;
  std::erase_if(part.files, [&](const Part::File& file) { return file.offset + file.size > blob.size(); });
  const auto loaded = device.load(part);
  if (loaded) return broken(fmt::format("load() accepts {}", what));
  const Code code = loaded.error().code();
  if (code == Code::kInvalidPlan || code == Code::kIncompatible) return {};
  return broken(fmt::format("load() should reject {} as invalid, but returns: {}", what, loaded.error().message()));
}

}  // namespace

Status states_ports(const PluginPointer& plugin, const ConformanceProgram& program) {
  return Subject::open(plugin, program).error();
}

Status refuses_cut_blobs(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const AlignedMemory copy, copy_of(program.blob));
  for (const size_t size : {size_t{0}, size_t{1}, program.blob.size() / 2})
    NESTRT_RETURN_IF_ERROR(
        check_refused(subject.device(), {copy.data(), size}, program,
                      fmt::format("the first {} of a program's {} bytes", size, program.blob.size())));
  return {};
}

Status refuses_noise(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const AlignedMemory noise, copy_of(program.blob));
  const std::span<std::byte> bytes(noise.data(), program.blob.size());
  std::ranges::fill(bytes, std::byte{0});
  NESTRT_RETURN_IF_ERROR(check_refused(subject.device(), bytes, program, "a blob of zeros"));
  std::mt19937 random(1);
  std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
  return check_refused(subject.device(), bytes, program, "a blob of random bytes");
}

Status leaves_blob(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const AlignedMemory copy, copy_of(program.blob));
  ConformanceProgram of_copy = program;
  of_copy.blob = {copy.data(), program.blob.size()};
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, of_copy));
  NESTRT_RETURN_IF_ERROR(subject.results(1).error());
  return std::ranges::equal(of_copy.blob, program.blob) ? Status() : broken("the program's blob was changed");
}

Status keeps_programs_apart(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> others, subject.results(2));
  NESTRT_ASSIGN_OR_RETURN(auto second, subject.load());
  NESTRT_ASSIGN_OR_RETURN(const auto own_ports, subject.ports(1));
  NESTRT_ASSIGN_OR_RETURN(const auto other_ports, subject.ports(2));
  for (int round = 0; round < 3; ++round) {
    own_ports->fill_outputs(std::byte{0});
    other_ports->fill_outputs(std::byte{0});
    NESTRT_RETURN_IF_ERROR(subject.run(*own_ports));
    NESTRT_RETURN_IF_ERROR(subject.run(*second, *other_ports));
    if (own_ports->outputs() != expected || other_ports->outputs() != others)
      return broken("two programs that run alternately produce different results than each program alone");
  }
  second.reset();
  return subject.check_still_right(1, expected);
}

}  // namespace nestrt::vendor::cases
