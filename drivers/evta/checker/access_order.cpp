// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/access_order.h"

#include <fmt/core.h>

#include "drivers/evta/errors.h"

namespace nestrt::evta {
namespace {

Module writer_of(Memory memory) { return memory == Memory::kOut ? Module::kCompute : Module::kLoad; }
Module reader_of(Memory memory) { return memory == Memory::kOut ? Module::kStore : Module::kCompute; }

}  // namespace

AccessOrder::AccessOrder(const Configuration& configuration, size_t instructions)
    : elements_(Budget::of_file(kFreeElements, kElementsPerInstruction, instructions)) {
  for (const auto& [memory, last] : {std::pair{Memory::kInp, &inp_}, {Memory::kWgt, &wgt_}, {Memory::kOut, &out_}}) {
    last->written.resize(configuration.depth(memory));
    last->read.resize(configuration.depth(memory));
  }
}

void AccessOrder::begin(Module module, const ModuleCounts& before) {
  module_ = module;
  before_ = before;
}

AccessOrder::Last* AccessOrder::last_of(Memory memory) {
  return memory == Memory::kInp ? &inp_ : memory == Memory::kWgt ? &wgt_ : memory == Memory::kOut ? &out_ : nullptr;
}

Status AccessOrder::read(Memory memory, const IndexSet& elements) {
  return access(memory, elements, {&Last::read, &Last::written, writer_of(memory), "reads", "writing"});
}

Status AccessOrder::write(Memory memory, const IndexSet& elements) {
  return access(memory, elements, {&Last::written, &Last::read, reader_of(memory), "writes", "reading"});
}

Status AccessOrder::access(Memory memory, const IndexSet& elements, const Access& access) {
  Last* const last = last_of(memory);
  if (last == nullptr) return {};
  if (!elements_.charge(elements.size()))
    return invalid_program(
        fmt::format("the program's instructions access more than {} on-chip memory elements (limit: {} plus {} per "
                    "instruction)",
                    elements_.limit(), kFreeElements, kElementsPerInstruction));
  const size_t early = elements.find([&](size_t element) {
    (last->*access.own)[element] = number();
    return !is_over(access.other, (last->*access.others)[element]);
  });
  if (early == IndexSet::kCapacity) return {};
  return invalid_program(fmt::format("{} {}[{}] while {} may be {} it: no token orders these accesses", access.does,
                                     name(memory), early, name(access.other), access.other_does));
}

Status AccessOrder::load(const MemoryRange& range) {
  LastOfRange& last = ranges_[range.address];
  last.loaded[static_cast<size_t>(module_)] = number();
  if (is_over(Module::kStore, last.stored)) return {};
  return invalid_program(fmt::format(
      "reads the range at address {} while store may be writing it: no token orders these accesses", range.address));
}

Status AccessOrder::store(const MemoryRange& range) {
  LastOfRange& last = ranges_[range.address];
  last.stored = number();
  for (const Module module : {Module::kLoad, Module::kCompute})
    if (!is_over(module, last.loaded[static_cast<size_t>(module)]))
      return invalid_program(
          fmt::format("writes the range at address {} while {} may be reading it: no token orders these accesses",
                      range.address, name(module)));
  return {};
}

}  // namespace nestrt::evta
