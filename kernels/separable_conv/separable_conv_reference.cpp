// The references of the convolutions, one after the other, with all that lies between them in memory.
#include <algorithm>

#include "kernels/common/rules.h"
#include "kernels/registry.h"
#include "kernels/separable_conv/separable_conv.h"

namespace nestrt::kernels {
namespace {

const KernelVariant* reference_of(const SeparablePart& part) { return operators().reference(part.spec()); }

// Scratch: the scratch of the parts, which use it in turns, then what each of them but the last gives.
class Separable final : public Kernel {
 public:
  explicit Separable(SeparableParts parts) : parts_(std::move(parts)) {}

  Status prepare() {
    order_ = parts_.all();
    for (const SeparablePart* part : order_) {
      NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, reference_of(*part)->prepare(part->spec()));
      kernels_.push_back(std::move(kernel));
    }
    return {};
  }

  ScratchSize scratch(int threads) const override {
    ScratchSize size = own_scratch(threads);
    for (const SeparablePart* part : order_)
      if (part != parts_.after.get()) size.shared += bytes_of(*part);
    return size;
  }

  void run(const KernelCall& call) const override {
    std::byte* between = call.shared_scratch + own_scratch(call.parallel->num_threads()).shared;
    const std::byte* input = call.inputs[0];
    for (size_t i = 0; i < order_.size(); ++i) {
      const size_t weights = weights_of(*order_[i]);
      const auto operand = [&](size_t index) { return index < call.inputs.size() ? call.inputs[index] : nullptr; };
      const std::byte* inputs[] = {input, operand(weights), operand(weights + 1), operand(kSeparableResidual)};
      const bool last = i + 1 == order_.size();
      std::byte* outputs[] = {last ? call.outputs[0] : between};
      KernelCall of_part = call;
      of_part.inputs = std::span<const std::byte* const>(inputs).first(order_[i]->inputs.size());
      of_part.outputs = outputs;
      kernels_[i]->run(of_part);
      input = outputs[0];
      if (!last) between += bytes_of(*order_[i]);
    }
  }

 private:
  static constexpr size_t kAlignment = 64;
  static size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  static size_t bytes_of(const SeparablePart& part) {
    return aligned(static_cast<size_t>(part.outputs[0].storage_bytes()));
  }
  size_t weights_of(const SeparablePart& part) const {
    return &part == parts_.before.get() ? 6 : &part == parts_.depthwise.get() ? 1 : 3;
  }
  ScratchSize own_scratch(int threads) const {
    ScratchSize size;
    for (const auto& kernel : kernels_) {
      const ScratchSize wanted = kernel->scratch(threads);
      size.shared = std::max(size.shared, aligned(wanted.shared));
      size.per_thread = std::max(size.per_thread, wanted.per_thread);
    }
    return size;
  }

  SeparableParts parts_;
  std::vector<const SeparablePart*> order_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

}  // namespace

bool accepts_separable_conv_reference(const OperatorSpec& spec) {
  if (!is_plain(spec)) return false;
  const Result<SeparableParts> parts = separable_parts(spec);
  if (!parts) return false;
  const std::vector<const SeparablePart*> all = parts->all();
  return std::all_of(all.begin(), all.end(), [](const SeparablePart* part) { return reference_of(*part) != nullptr; });
}

Result<std::unique_ptr<Kernel>> prepare_separable_conv_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(SeparableParts parts, separable_parts(spec));
  auto kernel = std::make_unique<Separable>(std::move(parts));
  NESTRT_RETURN_IF_ERROR(kernel->prepare());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
