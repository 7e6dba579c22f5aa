// Kernel: one implementation of an operator for the CPU. This header is the contract between the runtime, which
// prepares and runs kernels, and kernels/, which implements them.
//
// Life of a kernel: OperatorRules::infer has proven types and shapes; KernelVariant::accepts says that the variant can
// run the operator; prepare() computes everything that does not depend on the data, repacks weights where the
// plan's packing is another, and states the scratch it needs; run() computes. run() never allocates, logs or fails:
// whatever could be wrong with it has been refused by infer, accepts or prepare. What only data can break
// (a gather index out of range) is defined to be harmless: the kernel clamps.
//
// Threads: a prepared Kernel is immutable; run() may be called from several threads at once with distinct memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/parallel.h"
#include "nestrt/plan_generated.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace nestrt {

// What is known of one operand before the data is.
struct TensorSpec {
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  plan::Packing packing = plan::Packing::none;       // constants only
  const plan::Quantization* quantization = nullptr;  // null for real-valued tensors
  const std::byte* constant = nullptr;               // the elements, where they are known: weights, biases
  bool present = true;                               // false for an absent optional input

  int64_t storage_bytes() const { return nestrt::storage_bytes(type, shape, layout); }
};

// One operator with its operands. Everything pointed to outlives the kernels prepared from it.
struct OperatorSpec {
  const plan::Operator* op = nullptr;
  std::span<const TensorSpec> inputs;   // as op->inputs(), absent ones included
  std::span<const TensorSpec> outputs;

  plan::Attributes kind() const { return op->attributes_type(); }
  bool has_input(size_t index) const { return index < inputs.size() && inputs[index].present; }
};

// Scratch memory of one run, in bytes: `shared` once, `per_thread` for each thread. Aligned to 64.
struct ScratchSize {
  size_t shared = 0;
  size_t per_thread = 0;
};

struct KernelCall {
  std::span<const std::byte* const> inputs;  // by operand, constants included; null where absent
  std::span<std::byte* const> outputs;
  std::byte* shared_scratch = nullptr;
  std::byte* thread_scratch = nullptr;  // one after the other, those of the slots; see slot_scratch
  ParallelRunner* parallel = nullptr;   // never null in run()

  template <typename T>
  const T* input(size_t index) const { return reinterpret_cast<const T*>(inputs[index]); }
  template <typename T>
  T* output(size_t index) const { return reinterpret_cast<T*>(outputs[index]); }
  // What a slot of parallel_for owns; `per_thread` as the kernel's scratch() says.
  template <typename T>
  T* slot_scratch(int slot, size_t per_thread) const {
    constexpr size_t kAlignment = 64;
    const size_t stride = (per_thread + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<T*>(thread_scratch + static_cast<size_t>(slot) * stride);
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(const KernelCall& call) const = 0;
  virtual ScratchSize scratch(int num_threads) const { (void)num_threads; return {}; }
  // True where weights were repacked because the plan was packed for another CPU.
  virtual bool repacked() const { return false; }
};

// One way to run an operator: an algorithm, a tile, a packing. The table of all of them is kernels/registry.h.
struct KernelVariant {
  std::string_view name;  // "conv.f32.direct16": operator, type, algorithm; unique; stable, since plans name it
  int preference = 0;     // among the variants that accept an operator the highest is the default; references have 0
  bool (*accepts)(const OperatorSpec& spec) = nullptr;
  // Requires: accepts(spec).
  Result<std::unique_ptr<Kernel>> (*prepare)(const OperatorSpec& spec) = nullptr;
};

// An operator: its rules, and the kernels that implement it.
struct OperatorRules {
  plan::Attributes kind = plan::Attributes::NONE;
  std::string_view name;  // "Conv"
  // Checks attributes, number, types, layouts and shapes of the inputs, and gives type and shape of each output
  // (plain layout). Every failure names the attribute or operand. Safe on anything that passed the FlatBuffers
  // verifier: shapes are non-negative and have at most 2^40 elements; nothing else may be assumed.
  Result<std::vector<TensorSpec>> (*infer)(const OperatorSpec& spec) = nullptr;
  std::span<const KernelVariant> kernels;
};

// The operators that a unit's kernels implement.
class KernelRegistry {
 public:
  explicit KernelRegistry(std::span<const OperatorRules> operators) : operators_(operators) {}
  std::span<const OperatorRules> operators() const { return operators_; }
  // Null where there is none.
  const OperatorRules* find(plan::Attributes kind) const;
  // The variant of that name if it accepts the operator, else (or with an empty name) the preferred one that does;
  // null where none does.
  const KernelVariant* select(const OperatorSpec& spec, std::string_view name = {}) const;

 private:
  std::span<const OperatorRules> operators_;
};

}  // namespace nestrt
