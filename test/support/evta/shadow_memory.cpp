// SPDX-License-Identifier: Apache-2.0
#include "test/support/evta/shadow_memory.h"

#include <fmt/core.h>

namespace nestrt::evta {

ShadowMemory::ShadowMemory(std::string name, size_t elements, bool defined)
    : name_(std::move(name)), elements_(elements, Element{.defined = defined}) {}

Status ShadowMemory::check_order(const Accessor& accessor, Module other, uint32_t number, size_t element,
                                 const char* what) const {
  if (other == accessor.module || number <= accessor.before[static_cast<size_t>(other)]) return {};
  return Status(Code::kDeviceFault, fmt::format("no token orders the {} of {}[{}] by {} before this instruction of {}",
                                                what, name_, element, evta::name(other), evta::name(accessor.module)));
}

Status ShadowMemory::read(const Accessor& accessor, size_t element) {
  Element& state = elements_[element];
  NESTRT_RETURN_IF_ERROR(check_order(accessor, state.writer, state.written, element, "write"));
  const auto self = static_cast<size_t>(accessor.module);
  state.read[self] = accessor.before[self] + 1;
  if (state.defined) return {};
  return Status(Code::kDeviceFault, fmt::format("reads {}[{}], which has no defined value", name_, element));
}

Status ShadowMemory::write(const Accessor& accessor, size_t element) {
  NESTRT_RETURN_IF_ERROR(write_undefined(accessor, element));
  elements_[element].defined = true;
  return {};
}

Status ShadowMemory::write_undefined(const Accessor& accessor, size_t element) {
  Element& state = elements_[element];
  NESTRT_RETURN_IF_ERROR(check_order(accessor, state.writer, state.written, element, "write"));
  for (int i = 0; i < kNumModules; ++i) {
    NESTRT_RETURN_IF_ERROR(check_order(accessor, static_cast<Module>(i), state.read[i], element, "read"));
  }
  state.defined = false;
  state.writer = accessor.module;
  state.written = accessor.before[static_cast<size_t>(accessor.module)] + 1;
  return {};
}

}  // namespace nestrt::evta
