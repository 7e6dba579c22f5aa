// The region tree: children before parents, every node but the root once a child, every branch once a leaf.
#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

constexpr int kMaxDepth = 64;

class RegionCheck {
 public:
  explicit RegionCheck(Context& context)
      : context_(context), regions_(items(context.plan.regions())), depth_(regions_.size(), 0),
        has_parent_(regions_.size(), false), has_leaf_(items(context.plan.branches()).size(), false) {}

  Status run() {
    if (!context_.charge(&regions_)) return shared_vectors();
    if (regions_.size() == 0) return damaged_plan("the plan has no regions");
    for (uint32_t index = 0; index < regions_.size(); ++index)
      NESTRT_RETURN_IF_ERROR(regions_[index]->kind() == plan::RegionKind::branch ? add_leaf(index) : add_node(index));
    for (uint32_t index = 0; index + 1 < regions_.size(); ++index)
      if (!has_parent_[index]) return fail(index, "has no parent");
    for (uint32_t branch = 0; branch < has_leaf_.size(); ++branch)
      if (!has_leaf_[branch]) return damaged_plan(text("branch ", branch, ": belongs to no region"));
    return {};
  }

 private:
  static Status fail(uint32_t index, std::string what) { return damaged_plan(text("region ", index, ": ", what)); }

  Status add_leaf(uint32_t index) {
    const plan::Region& region = *regions_[index];
    if (items(region.children()).size() != 0) return fail(index, "is a branch with children");
    if (region.branch() >= has_leaf_.size()) return fail(index, text("branch ", region.branch(), " does not exist"));
    if (has_leaf_[region.branch()]) return fail(index, text("branch ", region.branch(), " is another region's"));
    has_leaf_[region.branch()] = true;
    return {};
  }

  Status add_node(uint32_t index) {
    const plan::Region& region = *regions_[index];
    if (!known(plan::EnumNameRegionKind(region.kind())))
      return fail(index, text("kind ", static_cast<int>(region.kind()), " is unknown"));
    if (!context_.charge(region.children())) return shared_vectors();
    if (items(region.children()).size() == 0) return fail(index, "has no children");
    for (uint32_t child : items(region.children())) {
      if (child >= index) return fail(index, text("child ", child, " does not come before it"));
      if (has_parent_[child]) return fail(index, text("child ", child, " is another region's"));
      has_parent_[child] = true;
      depth_[index] = std::max(depth_[index], depth_[child] + 1);
    }
    return depth_[index] <= kMaxDepth ? Status() : fail(index, text("is nested deeper than ", kMaxDepth));
  }

  Context& context_;
  const flatbuffers::Vector<flatbuffers::Offset<plan::Region>>& regions_;
  std::vector<int> depth_;
  std::vector<bool> has_parent_;
  std::vector<bool> has_leaf_;
};

}  // namespace

Status verify_regions(Context& context) { return RegionCheck(context).run(); }

}  // namespace nestrt::plan_verify
