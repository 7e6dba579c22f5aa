// A plan that every unit can run: y = x, of s8. On the CPU it is a Transpose that leaves the axes where they are; on
// EVTA a product with the identity matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::evta::test {

// Rows of x; each has as many bytes as the configuration has channels in a block.
inline constexpr int kCopyRows = 4;

// Where the program of a copy has what it works on, in its own address space.
inline constexpr uint64_t kUopAddress = 0x1000, kWgtAddress = 0x2000, kInpAddress = 0x3000, kOutAddress = 0x4000;

// Tensors that are the segments of a program: a stream that multiplies `rows` rows by a tile of weights, its micro-op,
// and the identity.
std::vector<int> add_copy_segments(nestrt::test::PlanBuilder* builder, const Configuration& configuration,
                                   uint16_t rows = kCopyRows);

// Program 0 of its only branch is the CPU's, program 1 EVTA's. Tensor 0 is x, tensor 1 y.
nestrt::test::PlanBuilder copy_plan(const Configuration& configuration);

// A network of `branches` branches in a random graph: copies, which EVTA can run too, and minima and maxima of what
// came before, which only the CPU can. One input and one output of as many bytes as copy_plan's, s32.
nestrt::test::PlanBuilder random_network(const Configuration& configuration, int branches, uint32_t seed);

}  // namespace nestrt::evta::test
