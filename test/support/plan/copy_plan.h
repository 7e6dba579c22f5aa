// SPDX-License-Identifier: Apache-2.0
// A plan that every unit can run: y = x in s8. On the CPU it is a Transpose that keeps the axes, on EVTA a product with
// the identity matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::evta::test {

// Number of rows of x. Each has as many bytes as the configuration has channels per block.
inline constexpr int kCopyRows = 4;

// Addresses of the operands of the copy program, in the program's address space.
inline constexpr uint64_t kUopAddress = 0x1000, kWgtAddress = 0x2000, kInpAddress = 0x3000, kOutAddress = 0x4000;

// Adds tensors for the segments of a program: a stream that multiplies `rows` rows by a tile of weights, its micro-op,
// and the identity matrix.
std::vector<int> add_copy_segments(nestrt::test::PlanBuilder* builder, const Configuration& configuration,
                                   uint16_t rows = kCopyRows);

// Returns the plan. Program 0 of its only branch is for the CPU, program 1 for EVTA. Tensor 0 is x, tensor 1 is y.
nestrt::test::PlanBuilder copy_plan(const Configuration& configuration);

// Returns a network of `branches` branches in a random graph: copies, which EVTA can also run, and minima and maxima of
// earlier results, which only the CPU can compute. It has one s32 input and one s32 output with as many bytes as
// copy_plan's.
nestrt::test::PlanBuilder random_network(const Configuration& configuration, int branches, uint32_t seed);

}  // namespace nestrt::evta::test
