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

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/driver/instruction_set.h"
#include "nestrt/driver/operators.h"
#include "nestrt/driver/parallel.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace NESTRT_PUBLIC nestrt {

// What is known of one operand before the data is.
struct TensorSpec {
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kInvalidIndex;          // constants only
  const plan::Quantization* quantization = nullptr;  // null for real-valued tensors
  const std::byte* constant = nullptr;               // the elements, where they are known: weights, biases
  bool present = true;                               // false for an absent optional input

  int64_t storage_bytes() const { return nestrt::storage_bytes(type, shape, layout); }
};

// Rows of an operator's output, axis 2.
struct RowWindow {
  int64_t first = 0;
  int64_t count = 0;
};

// One operator with its operands. Everything pointed to outlives the kernels prepared from it.
struct OperatorSpec {
  const ops::Attributes* attributes = nullptr;
  std::span<const TensorSpec> inputs;  // absent ones included
  std::span<const TensorSpec> outputs;
  // Of the output that inputs and attributes make these rows are all there is: outputs, and inputs that are cut as they
  // are, have no others. For operators that divide rows (Division::divides_rows).
  std::optional<RowWindow> rows = std::nullopt;

  ops::Kind kind() const { return ops::kind_of(*attributes); }
  // Null where it is another operator: spec.as<ops::Conv>().
  template <typename Op>
  const Op* as() const {
    return std::get_if<Op>(attributes);
  }
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
  const T* input(size_t index) const {
    return reinterpret_cast<const T*>(inputs[index]);
  }
  template <typename T>
  T* output(size_t index) const {
    return reinterpret_cast<T*>(outputs[index]);
  }
  // What a slot of parallel_for owns; `per_thread` as the kernel's scratch() says.
  template <typename T>
  T* slot_scratch(int slot, size_t per_thread) const {
    constexpr size_t kAlignment = 64;
    const size_t stride = (per_thread + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<T*>(thread_scratch + static_cast<size_t>(slot) * stride);
  }
};

class RowKernel;  // nestrt/driver/row_kernel.h

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(const KernelCall& call) const = 0;
  virtual ScratchSize scratch(int num_threads) const {
    (void)num_threads;
    return {};
  }
  // True where weights were repacked because the plan was packed for another CPU.
  virtual bool repacked() const { return false; }
  // Itself, where it can compute some rows of its output alone; else null.
  virtual const RowKernel* by_rows() const { return nullptr; }
};

// One way to run an operator: an algorithm, a tile, a packing.
struct KernelVariant {
  std::string_view name;  // "conv.f32.direct16": operator, type, algorithm; unique; stable, since plans name it
  int preference = 0;     // among the variants that accept an operator the highest is the default; references have 0
  // Whether it runs such an operator: types, layouts, attributes, what has to be constant. Says the same on every
  // machine; the packing of constants is no matter.
  bool (*accepts)(const OperatorSpec& spec) = nullptr;
  // For this machine. Requires: accepts(spec), and that the machine has what the variant needs.
  Result<std::unique_ptr<Kernel>> (*prepare)(const OperatorSpec& spec) = nullptr;
  // In which it uses input 1, the weights, in place; those that come in another are packed again by prepare().
  Packing packing = Packing::kInvalidIndex;
  InstructionSet needs = InstructionSet::kPortable;
};

// A member of a table's row that cannot be left out.
template <typename T>
class Required {
 public:
  constexpr Required(T value) : value_(value) {}   // NOLINT: implicit by design
  constexpr operator T() const { return value_; }  // NOLINT
  constexpr const T& get() const { return value_; }

 private:
  T value_;
};

// How an operator's output channels are divided among units, lanes and times (nestrt/division.h).
struct Division {
  // Whether parts of the output can be computed apart, each from its own part of the cut inputs, with the same bits.
  // Asks nothing of the spec: the rules of the operator need not have been checked.
  bool (*divides)(const OperatorSpec& spec) = nullptr;
  // The axis along which an input is cut as the output is along axis 1; kUncut where every part reads all of it.
  int (*cut_axis)(const ops::Attributes& attributes, size_t input) = nullptr;
  // Whether parts may also be some rows of a block of channels (OperatorSpec::rows): each of a whole input, but for
  // those that are cut, of which it reads the same rows. Null: no. Requires: divides().
  bool (*divides_rows)(const OperatorSpec& spec) = nullptr;
};
inline constexpr int kUncut = -1;
inline constexpr Division kIndivisible = {};

// An operator: its rules, what it costs, how it can be divided, and the kernels that implement it. A row of the table.
struct OperatorRules {
  Required<ops::Kind> kind;
  // Checks attributes, number, types, layouts and shapes of the inputs, and gives type and shape of each output
  // (plain layout). Every failure names the attribute or operand. Safe on whatever decode_tables() gives: enumerations
  // have values that exist, shapes are non-negative and have at most 2^40 elements; nothing else may be assumed.
  Required<Result<std::vector<TensorSpec>> (*)(const OperatorSpec& spec)> infer;
  // Multiply-accumulates; 0 for operators that have none. Requires: infer() accepts the operator.
  Required<uint64_t (*)(const OperatorSpec& spec)> macs;
  // An estimate, from above, of the steps of its reference, each about a nanosecond: what the compiler may spend on
  // evaluating a model's constants is bounded by it. INT64_MAX where it overflows. Requires: infer() accepts.
  Required<int64_t (*)(const OperatorSpec& spec)> steps;
  Required<Division> division;
  Required<std::span<const KernelVariant>> kernels;

  std::string_view name() const { return ops::name(kind); }
};

// The operators that a library knows, with the kernels of its CPU.
class OperatorTable {
 public:
  explicit OperatorTable(std::span<const OperatorRules* const> operators);
  // Null where there is none.
  const OperatorRules* find(ops::Kind kind) const { return rows_[static_cast<size_t>(kind)]; }
  // By kind; kInvalidIndex and operators that the library does not have are null.
  std::span<const OperatorRules* const> rows() const { return rows_; }
  // The variant of that name if it accepts the operator on a CPU with `set`, else (or with an empty name) the preferred
  // one that does; null where none does.
  const KernelVariant* select(const OperatorSpec& spec, InstructionSet set, std::string_view name = {}) const;
  // The least preferred one that accepts the operator on any CPU: the plainest, with the same bits everywhere.
  const KernelVariant* reference(const OperatorSpec& spec) const;

 private:
  std::array<const OperatorRules*, ops::kNumKinds> rows_{};
};

}  // namespace nestrt
