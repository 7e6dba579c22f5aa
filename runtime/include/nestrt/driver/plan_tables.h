// The tables of a plan as plain structs: what runtime/plan/format/plan.fbs describes, read once when a plan is loaded.
//
// In a loaded plan (nestrt/plan.h) every index, size, type and alignment has been verified. Immutable there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/driver/channel_range.h"
#include "nestrt/driver/operators.h"
#include "nestrt/driver/packing.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/preprocessing.h"
#include "nestrt/shape.h"

namespace nestrt {
namespace NESTRT_PUBLIC plan {

// What integers stand for. s8 (docs/numerics.md): real = q * 2^-exponent, zero point 0; one exponent, or one per
// channel of `axis`. s8c: real = (q - zero_point) * scale; as many of both. Also for u8 and s32.
struct Quantization {
  std::vector<int8_t> exponents;
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int32_t axis = -1;

  bool operator==(const Quantization&) const = default;
};

struct Tensor {
  std::string name;  // the ONNX name where there is one; for messages and tools
  DataType type = DataType::kF32;
  Shape shape;  // logical dimensions, whatever the layout
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kInvalidIndex;  // constants only
  uint32_t buffer = 0;                       // index in Tables.buffers
  uint64_t offset = 0;                       // bytes from its start: several tensors may view one buffer
  std::optional<Quantization> quantization;
};

enum class BufferKind : uint8_t {
  kConstant = 0,  // in the data area of the file, used in place
  kArena = 1,     // in the block that the session allocates
  kInput = 2,     // the caller's
  kOutput = 3,    // the caller's
};

struct Buffer {
  BufferKind kind = BufferKind::kConstant;
  uint64_t size = 0;         // bytes
  uint64_t data_offset = 0;  // constant: from the start of the data area, a multiple of 64
  uint32_t first_use = 0;    // arena: index of the first operator that writes it ...
  uint32_t last_use = 0;     // ... and of the last that touches it
};

enum class MemoryPlanKind : uint8_t {
  kSequential = 0,   // right for operators run one after the other, in file order
  kAnySchedule = 1,  // right for every order that respects the graph
};

struct MemoryPlan {
  MemoryPlanKind kind = MemoryPlanKind::kSequential;
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes = 0;  // the largest sum of buffers alive at one operator (sequential)
  std::vector<uint64_t> offsets;   // by buffer; ignored for buffers outside the arena; multiples of 64
};

struct Operator {
  std::string name;  // the ONNX node's, or made from its first output; for messages and tools
  ops::Attributes attributes;
  std::vector<int32_t> inputs;  // tensors; -1 for an absent optional input
  std::vector<int32_t> outputs;

  ops::Kind kind() const { return ops::kind_of(attributes); }
  // Null where it is another operator: op.as<ops::Conv>().
  template <typename Op>
  const Op* as() const {
    return std::get_if<Op>(&attributes);
  }
};

enum class CostOrigin : uint8_t { kUnknown = 0, kMeasured = 1, kSimulated = 2, kModelled = 3 };

struct Cost {
  float microseconds = 0;
  CostOrigin origin = CostOrigin::kUnknown;
};

// A kernel that may take the place of the one that the compiler chose: a session finds out which is faster.
struct KernelAlternative {
  uint32_t op = 0;       // position in Branch.operators
  uint32_t kernel = 0;   // index in Tables.kernel_names
  int32_t weights = -1;  // as KernelSelection.weights

  bool operator==(const KernelAlternative&) const = default;
};

// The kernels that the compiler chose for one instruction set, by operator of the branch: indices in
// Tables.kernel_names. An empty name leaves the choice to the board.
struct KernelSelection {
  std::string instruction_set;
  std::vector<uint32_t> kernels;
  // By operator of the branch, the constant tensor that its kernel reads in place of input 1, packed as it wants it;
  // -1: the input itself. Empty: nothing at all.
  std::vector<int32_t> weights;
  std::vector<KernelAlternative> alternatives = {};  // in ascending order of operators
};

enum class ProgramKind : uint8_t {
  kKernels = 0,       // operators run by CPU kernels
  kInstructions = 1,  // an NPU instruction stream
  kBlob = 2,          // opaque to nestrt: a vendor's
};

enum class RangeAccess : uint8_t { kRead = 0, kWrite = 1, kReadWrite = 2 };

// How a tensor lies where a program reads or writes it.
enum class RangeLayout : uint8_t {
  kPlain = 0,      // as the tensor itself
  kBlocked32 = 2,  // an s8 tensor in blocks of 16 channels, in blocks of 32
  // The f32 result of a Conv with wide_output, in blocks of 16 channels: the bytes of its accumulators, those of all
  // elements in blocks of 16 or 32 channels, the least significant first.
  kBytes16 = 16,
  kBytes32 = 32,
};

inline bool is_bytes(RangeLayout layout) { return layout == RangeLayout::kBytes16 || layout == RangeLayout::kBytes32; }

// What a program of instructions finds at some addresses. The addresses are the program's own: the driver puts the
// bytes there, or moves the program to where they are.
struct ProgramRange {
  uint64_t address = 0;
  uint64_t size = 0;  // bytes; not more than the tensor or segment has
  RangeAccess access = RangeAccess::kRead;
  int32_t tensor = -1;   // an operand of the branch
  uint32_t segment = 0;  // without a tensor: index in Program.segments; read only
  RangeLayout layout = RangeLayout::kPlain;
  uint64_t offset = 0;  // from the first byte of the tensor, in its own layout, or of the segment
};

// What one kind of unit executes for one branch.
struct Program {
  std::string unit;  // "cpu", "evta", ...
  ProgramKind kind = ProgramKind::kKernels;
  std::string configuration;  // the unit configuration it was made for; empty for any
  std::vector<KernelSelection> selections;
  std::vector<uint32_t> segments;  // constant buffers; instructions: the first holds the stream; blob: the first is it
  std::vector<Cost> costs;
  std::vector<ProgramRange> ranges;  // in ascending order of their addresses, disjoint
  ChannelRange channels;             // instructions: the part of the branch's only operator that they compute
};

// A chain of operators that one unit runs without interruption.
struct Branch {
  std::vector<uint32_t> operators;
  std::vector<Program> programs;
};

struct Input {
  uint32_t tensor = 0;
  std::optional<Preprocessing> preprocessing;
};

// Of f32, at most, what a driver makes of the bytes of accumulators that a program writes, which has such ranges.
template <typename ProgramOfRanges>
uint64_t widened_bytes(const ProgramOfRanges& program) {
  uint64_t bytes = 0;
  for (const auto& range : program.ranges) bytes += is_bytes(range.layout) ? range.size : 0;
  return bytes;
}

// A unit that the plan was compiled for.
struct Target {
  std::string unit;
  std::string configuration;
  float clock_mhz = 0;  // at which the times of its programs are meant; 0: not stated
  // Of f32, at which these times have a core of the host make it of the bytes of accumulators; 0: in none.
  float widen_mb_per_s = 0;
  float launch_us = 0;  // of these times what each program takes beside its cycles
};

// What kernels take on the CPU of the board that the plan was compiled for.
struct HostCosts {
  std::string configuration;  // of the CPU: "neon"
  uint32_t threads = 1;
  std::vector<float> microseconds;  // by operator; 0: not known
};

// What using a unit of that board costs beside the work: UnitOverhead (nestrt/driver/costs.h).
struct Overhead {
  std::string unit;
  std::string configuration;
  uint32_t threads = 1;
  float start_us = 0, finish_us = 0, mb_per_s = 0, lane_us = 0;
};

struct Tables {
  std::string producer;  // "nestc 0.1.0"
  std::string model_name;
  std::vector<Target> targets;
  std::vector<Buffer> buffers;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in an order that respects the graph
  std::vector<Input> inputs;
  std::vector<uint32_t> outputs;         // tensors
  std::vector<MemoryPlan> memory_plans;  // by MemoryPlanKind
  std::vector<Branch> branches;
  std::vector<std::string> kernel_names;  // those that the kernel selections name, each once
  std::vector<HostCosts> host_costs;      // each for another configuration or number of threads
  std::vector<Overhead> overheads;        // likewise
  std::vector<Tables> shapes;             // the same network for inputs of other shapes; these have none
};

// How values are printed. Empty for a number that is none of the enumeration's.
std::string_view name(BufferKind value);
std::string_view name(MemoryPlanKind value);
std::string_view name(CostOrigin value);
std::string_view name(ProgramKind value);
std::string_view name(RangeAccess value);
std::string_view name(RangeLayout value);

}  // namespace plan
}  // namespace nestrt
