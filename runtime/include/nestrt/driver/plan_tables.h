// SPDX-License-Identifier: Apache-2.0
// The tables of a plan as plain structs, decoded once from the format that runtime/plan/format/plan.fbs defines.
//
// In a loaded plan (nestrt/plan.h) the tables are immutable, and every index, size, type and alignment is verified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/driver/channel_range.h"
#include "nestrt/driver/operators.h"
#include "nestrt/preprocessing.h"
#include "nestrt/shape.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// The element order of a constant (docs/reference/plan-format.md). The values match the file format.
enum class Packing : uint8_t {
  kNone = 0,  // row-major, with the dimensions of the shape
  kO16i16 = 1,
  kStem16 = 2,
  kDepthwise16 = 3,
  kPanel16 = 4,
  kS8O16i4 = 5,
  kS8Depthwise16 = 6,
  kS8Stem = 7,
  kS8Panel = 8,
  kWinograd16 = 9,
  kS8Winograd16 = 10,
  kWinograd16Two = 11,
  kWinograd16Strided = 12,
};

}  // namespace nestrt

namespace nestrt {
namespace NESTRT_PUBLIC plan {

// How integers map to real values. s8 (docs/concepts/numerics.md): real = q * 2^-exponent, zero point 0; one exponent,
// or one per channel along `axis`. s8c: real = (q - zero_point) * scale; both lists have the same length. u8 and s32
// also use this form.
struct Quantization {
  std::vector<int8_t> exponents;
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int32_t axis = -1;

  bool operator==(const Quantization&) const = default;
};

// A typed view of a buffer.
struct Tensor {
  std::string name;  // the ONNX name, if any; for messages and tools
  DataType type = DataType::kF32;
  Shape shape;  // logical dimensions, independent of the layout
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kNone;  // constants only
  uint32_t buffer = 0;               // index in Tables.buffers
  uint64_t offset = 0;               // bytes from the start of the buffer, which several tensors may share
  std::optional<Quantization> quantization;
};

// Where a buffer is stored.
enum class BufferKind : uint8_t {
  kConstant = 0,  // in the data area of the file, used in place
  kArena = 1,     // in the block that the session allocates
  kInput = 2,     // the caller's
  kOutput = 3,    // the caller's
};

// A block of bytes with a lifetime.
struct Buffer {
  BufferKind kind = BufferKind::kConstant;
  uint64_t size = 0;         // bytes
  uint64_t data_offset = 0;  // constant: from the start of the data area, a multiple of 64
  uint32_t first_use = 0;    // arena: index of the first operator that writes it
  uint32_t last_use = 0;     // arena: index of the last operator that accesses it
};

// The execution orders for which a memory plan is valid.
enum class MemoryPlanKind : uint8_t {
  kSequential = 0,   // valid if operators run one after another, in file order
  kAnySchedule = 1,  // valid for every order that respects data dependencies
};

// Offsets of the arena buffers.
struct MemoryPlan {
  MemoryPlanKind kind = MemoryPlanKind::kSequential;
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes = 0;  // the largest total size of the buffers live at any operator (sequential)
  std::vector<uint64_t> offsets;   // per buffer, multiples of 64; ignored for buffers outside the arena
};

// An operator with its operands.
struct Operator {
  std::string name;  // the ONNX node's name, or derived from the first output; for messages and tools
  ops::Attributes attributes;
  std::vector<int32_t> inputs;  // indices of tensors; -1 for an absent optional input
  std::vector<int32_t> outputs;

  // Returns the kind of the operator that the attributes belong to.
  ops::Kind kind() const { return ops::kind_of(attributes); }
  // Returns the attributes as the given operator, or null if it is another operator: op.as<ops::Conv>().
  template <typename Op>
  const Op* as() const {
    return std::get_if<Op>(&attributes);
  }
};

// How a cost in a plan was obtained.
enum class CostOrigin : uint8_t { kUnknown = 0, kMeasured = 1, kSimulated = 2, kModelled = 3 };

// The cost of a program.
struct Cost {
  float microseconds = 0;
  CostOrigin origin = CostOrigin::kUnknown;
};

// An alternative to the kernel that the compiler chose. A session determines which is faster.
struct KernelAlternative {
  uint32_t op = 0;       // position in Branch.operators
  uint32_t kernel = 0;   // index in Tables.kernel_names
  int32_t weights = -1;  // as KernelSelection.weights

  bool operator==(const KernelAlternative&) const = default;
};

// The kernels that the compiler chose for one instruction set, per operator of the branch: indices in
// Tables.kernel_names. An empty name leaves the choice to the runtime.
struct KernelSelection {
  std::string instruction_set;
  std::vector<uint32_t> kernels;
  // Per operator of the branch: the constant tensor, packed for the kernel, that replaces input 1; -1: input 1 itself.
  // Empty: -1 for all operators.
  std::vector<int32_t> weights;
  std::vector<KernelAlternative> alternatives = {};  // in ascending operator order
};

// What a program consists of.
enum class ProgramKind : uint8_t {
  kKernels = 0,       // operators run by CPU kernels
  kInstructions = 1,  // an instruction stream for an NPU
  kBlob = 2,          // a vendor's program, opaque to nestrt
};

// How a program accesses a range of memory.
enum class RangeAccess : uint8_t { kRead = 0, kWrite = 1, kReadWrite = 2 };

// The layout in which a program accesses a tensor.
enum class RangeLayout : uint8_t {
  kPlain = 0,      // the tensor's own layout
  kBlocked8 = 1,   // blocks of 8 channels, for an s8 tensor in blocks of 16
  kBlocked32 = 2,  // blocks of 32 channels, for an s8 tensor in blocks of 16
  // The bytes of the accumulators of a Conv with wide_output, whose f32 result has blocks of 16 channels. They are
  // stored in planes, least significant plane first. Each plane has all elements in blocks of 16 or 32 channels.
  kBytes16 = 16,
  kBytes32 = 32,
};

// Returns the number of channels of a block of an s8 tensor in a layout other than plain.
inline int64_t block_of(RangeLayout layout) { return layout == RangeLayout::kBlocked8 ? 8 : 32; }

// Returns whether a range contains the bytes of accumulators.
inline bool is_bytes(RangeLayout layout) { return layout == RangeLayout::kBytes16 || layout == RangeLayout::kBytes32; }

// An address range that an instruction program accesses. Addresses are relative to the program: the driver copies the
// bytes there or relocates the program.
struct ProgramRange {
  uint64_t address = 0;
  uint64_t size = 0;  // bytes; at most the size of the tensor or segment
  RangeAccess access = RangeAccess::kRead;
  int32_t tensor = -1;   // an operand of the branch
  uint32_t segment = 0;  // if `tensor` is -1: index in Program.segments; read-only
  RangeLayout layout = RangeLayout::kPlain;
  uint64_t offset = 0;  // from the first byte of the tensor, in its own layout, or of the segment
};

// What a vendor's compiler reports about its program.
struct VendorFacts {
  struct File {
    std::string name;
    uint64_t offset = 0, size = 0;  // in the blob
  };
  std::vector<std::string> port_names;  // by range: the names in the model that the compiler received
  std::vector<File> files;              // if the compiler wrote several
  float npu_share = -1;  // share of the work that the unit itself computes, 0 to 1; negative: not reported
  std::string on_cpu;    // the operators that the vendor's software computes on the CPU, with reasons
};

// The program of one branch for one kind of unit.
struct Program {
  std::string unit;  // "cpu", "evta", ...
  ProgramKind kind = ProgramKind::kKernels;
  std::string configuration;  // the required unit configuration; empty for any
  std::vector<KernelSelection> selections;
  // Constant buffers. For instructions, the first one contains the stream. A blob consists of all of them in this
  // order.
  std::vector<uint32_t> segments;
  std::vector<Cost> costs;
  std::vector<ProgramRange> ranges;  // disjoint, in ascending address order
  ChannelRange channels;             // for instructions: the channels of the branch's only operator that they compute
  std::optional<VendorFacts> vendor = {};  // for a blob
};

// A chain of operators that one unit runs without interruption.
struct Branch {
  std::vector<uint32_t> operators;
  std::vector<Program> programs;
};

// An input of the network.
struct Input {
  uint32_t tensor = 0;
  std::optional<Preprocessing> preprocessing;
};

// Returns an upper bound for the number of bytes of f32 values that a driver computes from the accumulators written by
// a program.
template <typename ProgramOfRanges>
uint64_t widened_bytes(const ProgramOfRanges& program) {
  uint64_t bytes = 0;
  for (const auto& range : program.ranges) bytes += is_bytes(range.layout) ? range.size : 0;
  return bytes;
}

// A unit for which the plan was compiled.
struct Target {
  std::string unit;
  std::string configuration;
  float clock_mhz = 0;  // clock that the times of its programs assume; 0: not stated
  // Rate at which a host core is assumed to convert accumulators to f32; 0: the times exclude the conversion.
  float widen_mb_per_s = 0;
  float launch_us = 0;  // part of these times that each program needs in addition to its cycles
};

// Kernel times on the CPU of the board for which the plan was compiled.
struct HostCosts {
  std::string configuration;  // of the CPU: "neon"
  uint32_t threads = 1;
  std::vector<float> microseconds;  // per operator; 0: unknown
};

// The cost of using a unit of that board in addition to the work: UnitOverhead (nestrt/driver/costs.h).
struct Overhead {
  std::string unit;
  std::string configuration;
  uint32_t threads = 1;
  float start_us = 0, finish_us = 0, mb_per_s = 0, lane_us = 0;
};

// All tables of a plan.
struct Tables {
  std::string producer;  // "nestc 0.1.0"
  std::string model_name;
  std::vector<Target> targets;
  std::vector<Buffer> buffers;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in an order that respects data dependencies
  std::vector<Input> inputs;
  std::vector<uint32_t> outputs;         // tensors
  std::vector<MemoryPlan> memory_plans;  // by MemoryPlanKind
  std::vector<Branch> branches;
  std::vector<std::string> kernel_names;  // names that the kernel selections refer to, without duplicates
  std::vector<HostCosts> host_costs;      // one per configuration and number of threads
  std::vector<Overhead> overheads;        // one per unit, configuration and number of threads
  std::vector<Tables> shapes;             // the same network for other input shapes; not nested further
};

// Return the printed form of a value; an empty string for an invalid value.
std::string_view name(BufferKind value);
std::string_view name(MemoryPlanKind value);
std::string_view name(CostOrigin value);
std::string_view name(ProgramKind value);
std::string_view name(RangeAccess value);
std::string_view name(RangeLayout value);

}  // namespace plan
}  // namespace nestrt
