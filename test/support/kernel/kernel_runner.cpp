// SPDX-License-Identifier: Apache-2.0
#include "test/support/kernel/kernel_runner.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "kernels/common/simd/simd.h"
#include "kernels/registry.h"
#include "runtime/core/channel_blocks.h"
#include "test/support/kernel/guarded_bytes.h"
#include "test/support/process/allocation_fill.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

size_t align64(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Runs one thread per slot. Threads claim calls from a shared counter.
class ThreadRunner final : public ParallelRunner {
 public:
  explicit ThreadRunner(int threads) : threads_(threads) {}
  int num_threads() const override { return threads_; }
  void parallel_for(int64_t count, FunctionRef<void(int64_t, int)> task) override {
    std::atomic<int64_t> next{0};
    auto work = [&](int slot) {
      for (int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i, slot);
    };
    std::vector<std::thread> workers;
    const int64_t useful = std::min<int64_t>(threads_, count);
    for (int slot = 1; slot < useful; ++slot) workers.emplace_back(work, slot);
    work(0);
    for (std::thread& worker : workers) worker.join();
  }

 private:
  int threads_;
};

// Calls visit(plain_element_index, stored_element_index) for every element of a tensor with a blocked layout.
template <typename Visit>
void for_each_element(const Shape& shape, Layout layout, Visit visit) {
  const StoredOrder order(shape, layout);
  const int64_t pixels = shape.product(2, shape.rank());
  int64_t plain = 0;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t s = 0; s < pixels; ++s) visit(plain++, order.index(n, c, s));
}

// Copies the elements of a tensor with a blocked layout, which have the size of T, from plain to stored order or back.
enum class Direction { kStore, kLoad };
template <typename T>
void copy_as(Direction direction, const Shape& shape, Layout layout, const std::byte* from, std::byte* to) {
  constexpr size_t kSize = sizeof(T);
  for_each_element(shape, layout, [&](int64_t plain, int64_t stored) {
    const auto [source, target] = direction == Direction::kStore ? std::pair(plain, stored) : std::pair(stored, plain);
    std::memcpy(to + static_cast<size_t>(target) * kSize, from + static_cast<size_t>(source) * kSize, kSize);
  });
}

void copy_elements(Direction direction, const TestTensor& like, const std::byte* from, std::byte* to) {
  switch (size_bytes(like.type)) {
    case 1:
      return copy_as<uint8_t>(direction, like.shape, like.layout, from, to);
    case 2:
      return copy_as<uint16_t>(direction, like.shape, like.layout, from, to);
    case 4:
      return copy_as<uint32_t>(direction, like.shape, like.layout, from, to);
    default:
      REQUIRE(size_bytes(like.type) == 8);
      return copy_as<uint64_t>(direction, like.shape, like.layout, from, to);
  }
}

std::vector<std::byte> store(const TestTensor& tensor, Stale padding) {
  if (tensor.packing != Packing::kNone || tensor.bytes.empty() || block_size(tensor.layout) == 1) return tensor.bytes;
  std::vector<std::byte> stored(static_cast<size_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout)));
  if (!is_folded(tensor.layout)) fill(stored, padding);  // folded layouts have zeros as padding
  copy_elements(Direction::kStore, tensor, tensor.bytes.data(), stored.data());
  return stored;
}

// Reverses the conversion: returns a plain tensor of the type and shape of `like` from data stored in its layout.
TestTensor load(const TestTensor& like, const std::byte* stored) {
  TestTensor result = like;
  const size_t size = size_bytes(like.type);
  result.layout = Layout::kPlain;
  result.bytes.resize(static_cast<size_t>(like.shape.num_elements()) * size);
  if (block_size(like.layout) == 1) {
    std::copy(stored, stored + result.bytes.size(), result.bytes.begin());
    return result;
  }
  if (!result.bytes.empty()) copy_elements(Direction::kLoad, like, stored, result.bytes.data());
  return result;
}

template <typename T>
TestTensor make(DataType type, const Shape& shape, const std::vector<T>& values) {
  REQUIRE(static_cast<int64_t>(values.size()) == shape.num_elements());
  TestTensor result;
  result.type = type;
  result.shape = shape;
  result.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

// The memory of one run, surrounded by guard bytes. Everything except the inputs is filled with `stale`.
class RunMemory {
 public:
  RunMemory(const ScratchSize& scratch, int threads, Stale stale)
      : stale_(stale),
        shared_(stale_bytes(scratch.shared)),
        per_thread_(stale_bytes(align64(scratch.per_thread) * static_cast<size_t>(threads))) {}
  // Adds an input. Constants are passed without a copy, because the spec refers to the same memory.
  void add_input(const TestTensor& tensor, const std::vector<std::byte>& stored) {
    GuardedBytes& copy = guarded_.emplace_back(stored.size());
    std::copy(stored.begin(), stored.end(), copy.data());
    inputs_.push_back(!tensor.present ? nullptr : tensor.constant ? stored.data() : copy.data());
  }
  void add_output(const TestTensor& tensor) {
    const int64_t size = storage_bytes(tensor.type, tensor.shape, tensor.layout);
    outputs_.push_back(guarded_.emplace_back(stale_bytes(static_cast<size_t>(size))).data());
  }

  KernelCall call(ParallelRunner& runner) {
    return {.inputs = inputs_,
            .outputs = outputs_,
            .shared_scratch = shared_.data(),
            .thread_scratch = per_thread_.data(),
            .parallel = &runner};
  }
  const std::byte* output(size_t index) const { return outputs_[index]; }
  bool is_intact() const {
    return shared_.is_intact() && per_thread_.is_intact() &&
           std::ranges::all_of(guarded_, [](const GuardedBytes& block) { return block.is_intact(); });
  }

 private:
  GuardedBytes stale_bytes(size_t size) const {
    GuardedBytes result(size);
    fill(result.bytes(), stale_);
    return result;
  }

  Stale stale_;
  GuardedBytes shared_, per_thread_;
  std::vector<GuardedBytes> guarded_;  // inputs and outputs
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> outputs_;
};

// Returns the spec of a tensor. The result refers to the tensor.
TensorSpec spec_of(const TestTensor& tensor, const std::byte* constant) {
  TensorSpec spec;
  spec.type = tensor.type;
  spec.shape = tensor.shape;
  spec.layout = tensor.layout;
  spec.packing = tensor.packing;
  spec.present = tensor.present;
  spec.constant = constant;
  if (tensor.quantization) spec.quantization = &*tensor.quantization;
  return spec;
}

}  // namespace

TestTensor tensor(const Shape& shape, const std::vector<float>& values) { return make(DataType::kF32, shape, values); }
TestTensor tensor(const Shape& shape, const std::vector<int32_t>& values) {
  return make(DataType::kS32, shape, values);
}
TestTensor tensor(const Shape& shape, const std::vector<int64_t>& values) {
  return make(DataType::kS64, shape, values);
}
TestTensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  std::iota(values.begin(), values.end(), 1.0f);
  return tensor(shape, values);
}

TestTensor tensor_s8(const Shape& shape, const std::vector<int>& values) {
  return make(DataType::kS8, shape, std::vector<int8_t>(values.begin(), values.end()));
}
TestTensor tensor_u8(const Shape& shape, const std::vector<int>& values) {
  return make(DataType::kU8, shape, std::vector<uint8_t>(values.begin(), values.end()));
}
TestTensor tensor_bool(const Shape& shape, const std::vector<int>& values) {
  return make(DataType::kBool, shape, std::vector<uint8_t>(values.begin(), values.end()));
}
TestTensor absent() {
  TestTensor result;
  result.present = false;
  return result;
}
TestTensor shape_only(const Shape& shape, DataType type) {
  TestTensor result;
  result.type = type;
  result.shape = shape;
  return result;
}
TestTensor random_tensor(std::mt19937& generator, const Shape& shape, float low, float high) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& value : values) value = distribution(generator);
  return tensor(shape, values);
}
TestTensor random_s8(std::mt19937& generator, const Shape& shape) {
  std::uniform_int_distribution<int> distribution(-128, 127);
  std::vector<int> values(static_cast<size_t>(shape.num_elements()));
  for (int& value : values) value = distribution(generator);
  return tensor_s8(shape, values);
}
TestTensor with_exponents(TestTensor tensor, const std::vector<int>& exponents, int axis) {
  tensor.quantization.emplace();
  tensor.quantization->exponents.assign(exponents.begin(), exponents.end());
  tensor.quantization->axis = axis;
  return tensor;
}
TestTensor with_exponent(TestTensor tensor, int exponent) { return with_exponents(std::move(tensor), {exponent}, -1); }
TestTensor with_scale(TestTensor tensor, float scale, int zero_point) {
  tensor.quantization.emplace();
  tensor.quantization->scales = {scale};
  tensor.quantization->zero_points = {zero_point};
  return tensor;
}
TestTensor with_scales(TestTensor tensor, const std::vector<float>& scales, int axis) {
  tensor.quantization.emplace();
  tensor.quantization->scales = scales;
  tensor.quantization->zero_points.assign(scales.size(), 0);
  tensor.quantization->axis = axis;
  return tensor;
}
TestTensor as_constant(TestTensor tensor) {
  tensor.constant = true;
  return tensor;
}
TestTensor with_layout(TestTensor tensor, Layout layout) {
  tensor.layout = layout;
  return tensor;
}

OperatorCase& OperatorCase::input(TestTensor tensor) {
  inputs_.push_back(std::move(tensor));
  stored_inputs_ = {};
  return *this;
}

OperatorCase& OperatorCase::output_s8(const Shape& shape, int exponent, Layout layout) {
  output(DataType::kS8, shape, layout);
  outputs_.back() = with_exponent(outputs_.back(), exponent);
  return *this;
}

OperatorCase& OperatorCase::output_s8c(const Shape& shape, float scale, int zero_point, Layout layout) {
  output(DataType::kS8, shape, layout);
  outputs_.back() = with_scale(outputs_.back(), scale, zero_point);
  return *this;
}

OperatorCase& OperatorCase::output(TestTensor tensor) {
  tensor.bytes.clear();
  outputs_.push_back(std::move(tensor));
  return *this;
}

OperatorCase& OperatorCase::output(DataType type, const Shape& shape, Layout layout) {
  TestTensor result;
  result.type = type;
  result.shape = shape;
  result.layout = layout;
  outputs_.push_back(std::move(result));
  return *this;
}

const std::vector<std::vector<std::byte>>& OperatorCase::stored_inputs(Stale padding) const {
  std::vector<std::vector<std::byte>>& stored = stored_inputs_[static_cast<size_t>(padding)];
  if (stored.empty())
    for (const TestTensor& input : inputs_)
      stored.push_back(input.present ? store(input, padding) : std::vector<std::byte>());
  return stored;
}

OperatorSpec OperatorCase::spec(Stale padding) const {
  input_specs_.clear();
  output_specs_.clear();
  const std::vector<std::vector<std::byte>>& stored = stored_inputs(padding);
  for (size_t i = 0; i < inputs_.size(); ++i)
    input_specs_.push_back(spec_of(inputs_[i], inputs_[i].constant ? stored[i].data() : nullptr));
  for (const TestTensor& output : outputs_) output_specs_.push_back(spec_of(output, nullptr));
  OperatorSpec result;
  result.attributes = &attributes_;
  result.inputs = input_specs_;
  result.outputs = output_specs_;
  return result;
}

Result<std::vector<TensorSpec>> OperatorCase::infer() const {
  const OperatorRules* rules = kernels::operators().find(ops::kind_of(attributes_));
  REQUIRE(rules != nullptr);
  return rules->infer(spec());
}

std::vector<std::string> OperatorCase::variants() const {
  const OperatorRules* rules = kernels::operators().find(ops::kind_of(attributes_));
  REQUIRE(rules != nullptr);
  const OperatorSpec operator_spec = spec();
  std::vector<std::string> names;
  for (const KernelVariant& variant : rules->kernels.get())
    if (includes(kernels::current_instruction_set(), variant.needs) && variant.accepts(operator_spec))
      names.emplace_back(variant.name);
  return names;
}

std::vector<TestTensor> OperatorCase::run(std::string_view name, int threads) const {
  const KernelVariant* variant = kernels::operators().select(spec(), kernels::current_instruction_set(), name);
  INFO("kernel " << name);
  REQUIRE(variant != nullptr);
  REQUIRE(variant->name == name);
  if (test_level() == TestLevel::kQuick) return run_over(Stale::kNans, *variant, threads);
  std::vector<TestTensor> results = run_over(Stale::kZeros, *variant, threads);
  INFO("with other stale memory");
  CHECK(same_elements(results, run_over(Stale::kNans, *variant, threads)));
  return results;
}

std::vector<TestTensor> OperatorCase::run_over(Stale stale, const KernelVariant& variant, int threads) const {
  const OperatorSpec operator_spec = spec(stale);
  const AllocationFill allocations(stale);
  auto kernel = variant.prepare(operator_spec);
  if (!kernel) FAIL(kernel.error().to_string());

  RunMemory memory((*kernel)->scratch(threads), threads, stale);
  const std::vector<std::vector<std::byte>>& stored = stored_inputs(stale);
  for (size_t i = 0; i < inputs_.size(); ++i) memory.add_input(inputs_[i], stored[i]);
  for (const TestTensor& output : outputs_) memory.add_output(output);
  ThreadRunner runner(threads);
  (*kernel)->run(memory.call(runner));
  CHECK(memory.is_intact());

  std::vector<TestTensor> results;
  for (size_t i = 0; i < outputs_.size(); ++i) results.push_back(load(outputs_[i], memory.output(i)));
  return results;
}

bool same_elements(const std::vector<TestTensor>& a, const std::vector<TestTensor>& b) {
  return std::ranges::equal(a, b, {}, &TestTensor::bytes, &TestTensor::bytes);
}

std::vector<TestTensor> reference(const OperatorCase& operator_case) {
  for (const std::string& name : operator_case.variants())
    if (name.ends_with(".reference")) return operator_case.run(name);
  FAIL("no reference of the operator accepts this case");
  return {};
}

void for_each_fast_kernel(const OperatorCase& operator_case,
                          const std::function<void(const std::string&, const std::vector<TestTensor>&)>& check) {
  const InstructionSet before = kernels::current_instruction_set();
  for (InstructionSet set : kernels::supported_instruction_sets()) {
    REQUIRE(kernels::force_instruction_set(set));
    for (const std::string& name : operator_case.variants()) {
      if (name.ends_with(".reference")) continue;
      for (int threads : {1, 3}) {
        check(name + " on " + std::string(nestrt::name(set)) + ", threads: " + std::to_string(threads),
              operator_case.run(name, threads));
      }
    }
  }
  kernels::force_instruction_set(before);
}

double relative_error(const TestTensor& actual, const TestTensor& expected) {
  if (!(actual.shape == expected.shape) || actual.bytes.size() != expected.bytes.size())
    return std::numeric_limits<double>::infinity();
  const std::vector<float> a = actual.values<float>(), b = expected.values<float>();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double error =
        std::abs(static_cast<double>(a[i]) - b[i]) / std::max(1.0, std::abs(static_cast<double>(b[i])));
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

}  // namespace nestrt::test
