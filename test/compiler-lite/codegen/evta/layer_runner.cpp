// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/codegen/evta/layer_runner.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/simulator/functional_simulator.h"
#include "runtime/core/channel_blocks.h"
#include "test/support/evta/plain_simulator.h"

namespace nestrt::test {
namespace {

using compiler::evta::Buffer;
using compiler::evta::ConvLayer;
using compiler::evta::EncodedProgram;
namespace s8 = kernels::s8;

int32_t accumulator(const ConvLayer& layer, const Elements& input, int64_t image, int64_t channel, int64_t row,
                    int64_t column) {
  const int64_t inputs = layer.in_channels / layer.groups, outputs = layer.out_channels / layer.groups;
  const int64_t first_plane = image * layer.in_channels + channel / outputs * inputs;
  int32_t sum = layer.bias.empty() ? 0 : layer.bias[static_cast<size_t>(channel)];
  for (int64_t i = 0; i < inputs; ++i) {
    for (int64_t tap = 0; tap < layer.y.kernel * layer.x.kernel; ++tap) {
      const int64_t y = row * layer.y.stride - layer.y.pad_begin + tap / layer.x.kernel;
      const int64_t x = column * layer.x.stride - layer.x.pad_begin + tap % layer.x.kernel;
      if (y < 0 || y >= layer.y.input || x < 0 || x >= layer.x.input) continue;
      const int64_t weight = (channel * inputs + i) * layer.y.kernel * layer.x.kernel + tap;
      const int64_t element = ((first_plane + i) * layer.y.input + y) * layer.x.input + x;
      sum = s8::multiply_add(sum, input[static_cast<size_t>(element)],
                             layer.is_identity() ? int8_t{1} : layer.weights[static_cast<size_t>(weight)]);
    }
  }
  return sum;
}

int8_t result(const ConvLayer& layer, int32_t sum, int64_t channel, const int8_t* residual) {
  if (!layer.residual) return s8::narrow(sum, layer.shift(channel), layer.rounding, layer.bounds);
  return s8::add(s8::narrow(sum, layer.shift(channel), layer.rounding), *residual, *layer.residual, layer.rounding,
                 layer.bounds);
}

// Returns one buffer per range: inputs, constants, and an output filled with `stale`.
std::vector<std::vector<std::byte>> buffers_of(const EncodedProgram& program,
                                               const std::vector<std::vector<std::byte>>& inputs, std::byte stale) {
  std::vector<std::vector<std::byte>> buffers;
  for (const auto& range : program.ranges) {
    buffers.emplace_back(range.size, stale);
    if (range.constant != nullptr) std::copy_n(range.constant, range.size, buffers.back().begin());
  }
  buffers[static_cast<size_t>(Buffer::kInput)] = inputs[0];
  if (inputs.size() > 1) buffers[static_cast<size_t>(Buffer::kResidual)] = inputs[1];
  return buffers;
}

evta::Dram dram_of(const EncodedProgram& program, std::vector<std::vector<std::byte>>& buffers) {
  evta::Dram dram;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto& range = program.ranges[i];
    if (range.access == evta::MemoryRange::Access::kWrite)
      dram.add_write(range.address, buffers[i]);
    else if (range.size > 0)
      dram.add_read(range.address, buffers[i]);
  }
  return dram;
}

// Runs the fast simulator with different initial on-chip contents from the plain simulator.
Status run_fast(const EncodedProgram& program, const evta::Dram& dram) {
  using evta::FunctionalSimulator;
  NESTRT_ASSIGN_OR_RETURN(auto on_chip, FunctionalSimulator::make_memories(*program.configuration, std::byte{0x81}));
  NESTRT_ASSIGN_OR_RETURN(auto simulator, FunctionalSimulator::create(program.program(), std::move(on_chip)));
  return simulator.run(dram);
}

}  // namespace

Elements random_elements(std::mt19937& generator, int64_t count, s8::Bounds bounds) {
  std::uniform_int_distribution<int> element(bounds.low, bounds.high);
  Elements elements(static_cast<size_t>(count));
  for (int8_t& x : elements) x = static_cast<int8_t>(element(generator));
  return elements;
}

ConvLayer random_conv(std::mt19937& generator, int64_t in_channels, int64_t out_channels,
                      const compiler::evta::LayerAxis& axis, int64_t groups) {
  ConvLayer layer;
  layer.name = "conv";
  layer.in_channels = in_channels;
  layer.out_channels = out_channels;
  layer.groups = groups;
  layer.y = layer.x = axis;
  layer.weights = random_elements(generator, out_channels * (in_channels / groups) * axis.kernel * axis.kernel);
  std::uniform_int_distribution<int32_t> bias(-20000, 20000);
  for (int64_t i = 0; i < out_channels; ++i) layer.bias.push_back(bias(generator));
  layer.shifts = {10};
  return layer;
}

int64_t input_size(const ConvLayer& layer) { return layer.images * layer.in_channels * layer.y.input * layer.x.input; }

int64_t output_size(const ConvLayer& layer) {
  return layer.images * layer.out_channels * layer.y.output() * layer.x.output();
}

std::vector<int32_t> accumulators(const ConvLayer& layer, const Elements& input) {
  std::vector<int32_t> sums;
  const int64_t height = layer.y.output(), width = layer.x.output();
  for (int64_t i = 0; i < output_size(layer); ++i) {
    const int64_t plane = i / (height * width);
    sums.push_back(accumulator(layer, input, plane / layer.out_channels, plane % layer.out_channels, i / width % height,
                               i % width));
  }
  return sums;
}

Elements reference(const ConvLayer& layer, const Elements& input, const Elements& residual) {
  const std::vector<int32_t> sums = accumulators(layer, input);
  const int64_t pixels = layer.y.output() * layer.x.output();
  Elements output;
  for (size_t i = 0; i < sums.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) / pixels % layer.out_channels;
    output.push_back(result(layer, sums[i], channel, residual.empty() ? nullptr : residual.data() + i));
  }
  return output;
}

std::vector<std::byte> to_blocks(const Elements& plain, int64_t images, int64_t channels, int block) {
  const int64_t pixels = static_cast<int64_t>(plain.size()) / (images * channels);
  const ChannelBlocks blocks{channels, pixels, block};
  std::vector<std::byte> blocked(static_cast<size_t>(images * blocks.blocks() * pixels * block));
  for (size_t i = 0; i < blocked.size(); ++i) blocked[i] = static_cast<std::byte>(i * 37);
  for (int64_t i = 0; i < images * channels * pixels; ++i) {
    const int64_t at = blocks.index(i / pixels / channels, i / pixels % channels, i % pixels);
    blocked[static_cast<size_t>(at)] = static_cast<std::byte>(plain[static_cast<size_t>(i)]);
  }
  return blocked;
}

Elements from_blocks(const std::vector<std::byte>& blocked, int64_t images, int64_t channels, int block) {
  ChannelBlocks blocks{channels, 1, block};
  const int64_t pixels = blocks.pixels = static_cast<int64_t>(blocked.size()) / (images * blocks.blocks() * block);
  Elements plain;
  for (int64_t i = 0; i < images * channels * pixels; ++i) {
    const int64_t at = blocks.index(i / pixels / channels, i / pixels % channels, i % pixels);
    plain.push_back(static_cast<int8_t>(blocked[static_cast<size_t>(at)]));
  }
  return plain;
}

std::vector<int32_t> from_bytes(const std::vector<std::byte>& stored, int64_t images, int64_t channels, int block) {
  const auto size = static_cast<ptrdiff_t>(stored.size() / sizeof(int32_t));
  std::vector<int32_t> words;
  for (ptrdiff_t byte = sizeof(int32_t) - 1; byte >= 0; --byte) {
    const std::vector<std::byte> plane(stored.begin() + byte * size, stored.begin() + (byte + 1) * size);
    const Elements plain = from_blocks(plane, images, channels, block);
    words.resize(plain.size());
    for (size_t i = 0; i < plain.size(); ++i)
      words[i] = static_cast<int32_t>(static_cast<uint32_t>(words[i]) << 8 | static_cast<uint8_t>(plain[i]));
  }
  return words;
}

std::vector<std::byte> run(const EncodedProgram& program, const std::vector<std::vector<std::byte>>& inputs,
                           std::string* message) {
  auto strict = buffers_of(program, inputs, std::byte{0x55}), fast = buffers_of(program, inputs, std::byte{0xA5});
  Status status = evta::check_program(program.program());
  if (status.ok()) {
    status = evta::simulate_plain(program.program(), dram_of(program, strict), evta::Strictness::kStrict);
  }
  if (status.ok()) status = run_fast(program, dram_of(program, fast));
  *message = status.to_string();
  const auto output = static_cast<size_t>(Buffer::kOutput);
  if (!status.ok() || strict[output] != fast[output]) return {};
  return strict[output];
}

void check_program(const ConvLayer& layer, const EncodedProgram& program, std::mt19937& generator) {
  const int block = program.configuration->block();
  const Elements input = random_elements(generator, input_size(layer), layer.input_bounds);
  const Elements residual = random_elements(generator, layer.residual ? output_size(layer) : 0);
  std::vector<std::vector<std::byte>> inputs = {to_blocks(input, layer.images, layer.in_channels, block)};
  if (layer.residual) inputs.push_back(to_blocks(residual, layer.images, layer.out_channels, block));
  std::string message;
  const std::vector<std::byte> output = run(program, inputs, &message);
  INFO(message);
  REQUIRE(!output.empty());
  if (layer.wide) {
    REQUIRE(from_bytes(output, layer.images, layer.out_channels, block) == accumulators(layer, input));
    return;
  }
  REQUIRE(from_blocks(output, layer.images, layer.out_channels, block) == reference(layer, input, residual));
}

}  // namespace nestrt::test
