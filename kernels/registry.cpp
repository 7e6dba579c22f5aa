#include "kernels/registry.h"

#include <array>

namespace nestrt::kernels {

const KernelRegistry& registry() {
  static const KernelRegistry instance{std::span<const OperatorRules>()};
  return instance;
}

}  // namespace nestrt::kernels
