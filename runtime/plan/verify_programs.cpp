// Branches and their programs.
#include <cmath>

#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

class BranchCheck {
 public:
  BranchCheck(Context& context, uint32_t index)
      : context_(context), index_(index), branch_(*items(context.plan.branches())[index]) {}

  // Branches follow each other in file order: `next` is the first operator that no branch has yet.
  Status operators(uint32_t* next) {
    if (!context_.charge(branch_.operators())) return shared_vectors();
    if (items(branch_.operators()).size() == 0) return fail("has no operators");
    for (uint32_t op : items(branch_.operators())) {
      if (op != *next || op >= items(context_.plan.operators()).size())
        return fail(
            text("has operator ", op, " where ", *next, " is next: branches must split the operators in file order"));
      ++*next;
    }
    return {};
  }

  Status programs() {
    if (!context_.charge(branch_.programs())) return shared_vectors();
    bool runs_on_cpu = false;
    for (const plan::Program* program : items(branch_.programs())) {
      NESTRT_RETURN_IF_ERROR(verify_program(*program));
      runs_on_cpu |= view(program->unit()) == "cpu" && program->kind() == plan::ProgramKind::kernels;
    }
    return runs_on_cpu ? Status() : fail("has no program of kernels for unit 'cpu'");
  }

 private:
  Status fail(std::string what) const { return damaged_plan(text("branch ", index_, ": ", what)); }

  Status verify_program(const plan::Program& program) {
    if (view(program.unit()).empty()) return fail("has a program for no unit");
    if (!known(plan::EnumNameProgramKind(program.kind())))
      return fail(text("has a program of unknown kind ", static_cast<int>(program.kind())));
    if (view(program.unit()) == "cpu" && program.kind() != plan::ProgramKind::kernels)
      return fail("has a program for unit 'cpu' that is not made of kernels");
    if (!context_.charge(program.selections()) || !context_.charge(program.segments()) ||
        !context_.charge(program.costs()))
      return shared_vectors();
    NESTRT_RETURN_IF_ERROR(verify_selections(program));
    NESTRT_RETURN_IF_ERROR(verify_segments(program));
    return verify_costs(program);
  }

  Status verify_selections(const plan::Program& program) {
    for (const plan::KernelSelection* selection : items(program.selections())) {
      if (!context_.charge(selection->kernels())) return shared_vectors();
      const uint32_t count = items(selection->kernels()).size();
      if (count != items(branch_.operators()).size())
        return fail(text("names ", count, " kernels for ", items(branch_.operators()).size(), " operators"));
      const uint32_t names = items(context_.plan.kernel_names()).size();
      for (uint32_t kernel : items(selection->kernels()))
        if (kernel >= names) return fail(text("has kernel ", kernel, ", which does not exist: there are ", names));
    }
    return {};
  }

  Status verify_segments(const plan::Program& program) const {
    const auto& buffers = items(context_.plan.buffers());
    for (uint32_t segment : items(program.segments()))
      if (segment >= buffers.size() || buffers[segment]->kind() != plan::BufferKind::constant)
        return fail(text("has a program in buffer ", segment, ", which is not a constant buffer"));
    return {};
  }

  Status verify_costs(const plan::Program& program) const {
    for (const plan::Cost* cost : items(program.costs())) {
      if (!known(plan::EnumNameCostOrigin(cost->origin())))
        return fail(text("has a cost of unknown origin ", static_cast<int>(cost->origin())));
      if (!(std::isfinite(cost->microseconds()) && cost->microseconds() >= 0))
        return fail("has a cost that is not a time");
    }
    return {};
  }

  Context& context_;
  uint32_t index_;
  const plan::Branch& branch_;
};

}  // namespace

Status verify_programs(Context& context) {
  if (!context.charge(context.plan.branches())) return shared_vectors();
  uint32_t next = 0;
  for (uint32_t index = 0; index < items(context.plan.branches()).size(); ++index) {
    BranchCheck branch(context, index);
    NESTRT_RETURN_IF_ERROR(branch.operators(&next));
    NESTRT_RETURN_IF_ERROR(branch.programs());
  }
  if (next != items(context.plan.operators()).size())
    return damaged_plan(text(operator_name(context.plan, next), ": belongs to no branch"));
  return {};
}

}  // namespace nestrt::plan_verify
