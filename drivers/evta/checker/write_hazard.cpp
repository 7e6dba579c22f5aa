#include "drivers/evta/checker/write_hazard.h"

#include <array>

namespace nestrt::evta {
namespace {

// By how much dst moves from one iteration to the next, within the inner loop and where the outer one advances.
struct Moves {
  std::array<int64_t, 2> by = {};
  size_t count = 0;

  void add(bool exists, int64_t move) {
    if (exists) by[count++] = move;
  }
};

Moves moves_to_next(const Loop& loop) {
  const int64_t out = loop.dst_factor_out, in = loop.dst_factor_in, last = int64_t{loop.iter_in} - 1;
  Moves moves;
  moves.add(loop.iter_in > 1, in);
  moves.add(loop.iter_out > 1, out - last * in);
  return moves;
}

Moves moves_to_next_but_one(const Loop& loop) {
  const int64_t out = loop.dst_factor_out, in = loop.dst_factor_in;
  Moves moves;
  moves.add(loop.iter_in > 2, 2 * in);
  if (loop.iter_in > 1)
    moves.add(loop.iter_out > 1, out - (int64_t{loop.iter_in} - 2) * in);
  else
    moves.add(loop.iter_out > 2, 2 * out);
  return moves;
}

// Whether an iteration begins with what the one before ended with, seen two steps back.
bool collides_across(std::span<const MicroOp> micro_ops, int64_t move) {
  const auto dst = [&](size_t index) { return int64_t{micro_ops[index].dst}; };
  const size_t last = micro_ops.size() - 1;
  if (dst(0) + move == dst(last)) return true;
  return last > 0 && (dst(0) + move == dst(last - 1) || dst(1) + move == dst(last));
}

}  // namespace

bool has_write_hazard(const Loop& loop, std::span<const MicroOp> micro_ops) {
  for (size_t u = 1; u < micro_ops.size(); ++u) {
    if (micro_ops[u].dst == micro_ops[u - 1].dst || (u > 1 && micro_ops[u].dst == micro_ops[u - 2].dst)) return true;
  }
  const Moves next = moves_to_next(loop);
  for (size_t i = 0; i < next.count; ++i) {
    if (collides_across(micro_ops, next.by[i])) return true;
  }
  if (micro_ops.size() > 1) return false;
  const Moves next_but_one = moves_to_next_but_one(loop);
  for (size_t i = 0; i < next_but_one.count; ++i) {
    if (next_but_one.by[i] == 0) return true;
  }
  return false;
}

}  // namespace nestrt::evta
