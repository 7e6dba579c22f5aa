// SPDX-License-Identifier: Apache-2.0
// Kernel: one implementation of an operator for the CPU. This header is the contract between the runtime, which
// prepares and runs kernels, and kernels/, which implements them.
//
// Lifecycle: OperatorRules::infer verifies types and shapes. KernelVariant::accepts returns whether the variant can run
// the operator. prepare() computes everything that does not depend on the data, repacks weights if the plan has another
// packing, and determines the scratch size. run() computes. It never allocates, logs or fails, because infer, accepts
// and prepare reject everything that could fail. Errors in the data, such as a gather index out of range, are harmless
// by definition: the kernel clamps.
//
// Threading: a prepared Kernel is immutable; run() may be called concurrently with distinct memory.
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
#include "nestrt/driver/operators.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"
#include "runtime/core/instruction_set.h"
#include "runtime/kernel/parallel.h"

namespace nestrt {

// The properties of an operand that are known without its data.
struct TensorSpec {
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kNone;                  // constants only
  const plan::Quantization* quantization = nullptr;  // null for real-valued tensors
  const std::byte* constant = nullptr;               // the elements, if known: weights, biases
  bool present = true;                               // false for an absent optional input

  int64_t storage_bytes() const { return nestrt::storage_bytes(type, shape, layout); }
};

// A range of rows (axis 2) of an operator's output.
struct RowWindow {
  int64_t first = 0;
  int64_t count = 0;
};

// One operator with its operands. Everything pointed to outlives the kernels prepared from it.
struct OperatorSpec {
  const ops::Attributes* attributes = nullptr;
  std::span<const TensorSpec> inputs;  // including absent ones
  std::span<const TensorSpec> outputs;
  // If set, the outputs, and the inputs that are split in the same way, contain only these rows of the output that the
  // full inputs and attributes define. For operators that can be split by rows (Division::divides_rows).
  std::optional<RowWindow> rows = std::nullopt;

  ops::Kind kind() const { return ops::kind_of(*attributes); }
  // Returns the attributes as the given operator, or null if it is another operator: spec.as<ops::Conv>().
  template <typename Op>
  const Op* as() const {
    return std::get_if<Op>(attributes);
  }
  bool has_input(size_t index) const { return index < inputs.size() && inputs[index].present; }
};

// Scratch memory of one run, in bytes: `shared` once, plus `per_thread` for each thread. Aligned to 64.
struct ScratchSize {
  size_t shared = 0;
  size_t per_thread = 0;
};

struct KernelCall {
  std::span<const std::byte* const> inputs;  // per operand, including constants; null if absent
  std::span<std::byte* const> outputs;
  std::byte* shared_scratch = nullptr;
  std::byte* thread_scratch = nullptr;  // one block per slot; see slot_scratch
  ParallelRunner* parallel = nullptr;   // never null in run()

  template <typename T>
  const T* input(size_t index) const {
    return reinterpret_cast<const T*>(inputs[index]);
  }
  template <typename T>
  T* output(size_t index) const {
    return reinterpret_cast<T*>(outputs[index]);
  }
  // Returns the scratch memory of a slot of parallel_for; `per_thread` is the value from the kernel's scratch().
  template <typename T>
  T* slot_scratch(int slot, size_t per_thread) const {
    constexpr size_t kAlignment = 64;
    const size_t stride = (per_thread + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<T*>(thread_scratch + static_cast<size_t>(slot) * stride);
  }
};

class RowKernel;  // runtime/kernel/row_kernel.h

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(const KernelCall& call) const = 0;
  virtual ScratchSize scratch(int num_threads) const {
    (void)num_threads;
    return {};
  }
  // Returns whether weights were repacked because the plan was packed for another CPU.
  virtual bool repacked() const { return false; }
  // Returns this kernel if it can compute a subset of its output rows, otherwise null.
  virtual const RowKernel* by_rows() const { return nullptr; }
};

// One implementation of an operator: an algorithm, a tile size, a packing.
struct KernelVariant {
  std::string_view name;  // "conv.f32.direct16": operator, type, algorithm; unique; stable because plans contain it
  int preference = 0;     // the accepting variant with the highest value is the default; references have 0
  // Returns whether the variant supports the operator: types, layouts, attributes, required constants. The answer is
  // the same on every machine and does not depend on the packing of constants.
  bool (*accepts)(const OperatorSpec& spec) = nullptr;
  // Prepares a kernel for this machine. Requires: accepts(spec), and a CPU with the instruction set `needs`.
  Result<std::unique_ptr<Kernel>> (*prepare)(const OperatorSpec& spec) = nullptr;
  // The packing of input 1, the weights, that the kernel reads in place; prepare() repacks any other.
  Packing packing = Packing::kNone;
  InstructionSet needs = InstructionSet::kPortable;
};

// A member of a table row that must be initialised.
template <typename T>
class Required {
 public:
  constexpr Required(T value) : value_(value) {}   // NOLINT: implicit by design
  constexpr operator T() const { return value_; }  // NOLINT
  constexpr const T& get() const { return value_; }

 private:
  T value_;
};

// How an operator's output can be split across units, lanes and time.
struct Division {
  // Returns whether slices of the output can be computed separately, each from its slice of the split inputs, with
  // bit-identical results. Does not require that the operator's rules have been checked.
  bool (*divides)(const OperatorSpec& spec) = nullptr;
  // Returns the axis along which an input is split when the output is split along axis 1; kUncut if every slice reads
  // all of it.
  int (*cut_axis)(const ops::Attributes& attributes, size_t input) = nullptr;
  // Returns whether slices may also consist of rows of a block of channels (OperatorSpec::rows). Each part reads
  // complete inputs, except split inputs, of which it reads the same rows. Null: slices consist of whole blocks only.
  // Requires: divides().
  bool (*divides_rows)(const OperatorSpec& spec) = nullptr;
};
inline constexpr int kUncut = -1;
inline constexpr Division kIndivisible = {};

// An operator: its rules, its cost, how it can be split, and the kernels that implement it. A row of the table.
struct OperatorRules {
  Required<ops::Kind> kind;
  // Checks attributes and the number, types, layouts and shapes of the inputs, and returns the type and shape of each
  // output (plain layout). Every failure names the attribute or operand. Safe for anything that decode_tables()
  // returns: enumerations are valid, and shapes are non-negative with at most 2^40 elements; nothing else may be
  // assumed.
  Required<Result<std::vector<TensorSpec>> (*)(const OperatorSpec& spec)> infer;
  // Returns the number of multiply-accumulates. Requires: infer() accepts the operator.
  Required<uint64_t (*)(const OperatorSpec& spec)> macs;
  // Returns an upper estimate of the steps of the reference kernel, about one nanosecond each; INT64_MAX on overflow.
  // It bounds the compiler's effort for folding constants. Requires: infer() accepts the operator.
  Required<int64_t (*)(const OperatorSpec& spec)> steps;
  Required<Division> division;
  Required<std::span<const KernelVariant>> kernels;

  std::string_view name() const { return ops::name(kind); }
};

// The operators of a library, with their CPU kernels.
class OperatorTable {
 public:
  explicit OperatorTable(std::span<const OperatorRules* const> operators);
  // Returns null if the library does not provide the operator.
  const OperatorRules* find(ops::Kind kind) const { return rows_[static_cast<size_t>(kind)]; }
  // Returns the rows, indexed by kind; null for kNone and for operators that the library does not provide.
  std::span<const OperatorRules* const> rows() const { return rows_; }
  // Returns the variant named `name` if it accepts the operator on a CPU with `set`, otherwise the preferred variant
  // that does, or null if no variant does.
  const KernelVariant* select(const OperatorSpec& spec, InstructionSet set, std::string_view name = {}) const;
  // Returns the least preferred variant that accepts the operator on any CPU: the reference, whose results are
  // bit-identical everywhere.
  const KernelVariant* reference(const OperatorSpec& spec) const;

 private:
  std::array<const OperatorRules*, ops::kNumKinds> rows_{};
};

}  // namespace nestrt
