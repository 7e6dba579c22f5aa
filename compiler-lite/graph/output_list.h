// SPDX-License-Identifier: Apache-2.0
// OutputList: the ordered outputs of a graph. contains() needs no search, because some models have very many outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestrt::compiler {

using ValueId = int32_t;

class OutputList {
 public:
  OutputList() = default;
  OutputList(std::initializer_list<ValueId> ids) : OutputList(std::vector<ValueId>(ids)) {}
  OutputList(std::vector<ValueId> ids) : ids_(std::move(ids)) {  // NOLINT: implicit by design
    for (const ValueId id : ids_) ++uses_[id];
  }

  size_t size() const { return ids_.size(); }
  ValueId operator[](size_t index) const { return ids_[index]; }
  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }
  operator const std::vector<ValueId>&() const { return ids_; }  // NOLINT: implicit by design
  bool operator==(const std::vector<ValueId>& ids) const { return ids_ == ids; }

  bool contains(ValueId id) const { return uses_.contains(id); }
  void push_back(ValueId id) {
    ids_.push_back(id);
    ++uses_[id];
  }
  void set(size_t index, ValueId id) {
    if (--uses_[ids_[index]] == 0) uses_.erase(ids_[index]);
    ids_[index] = id;
    ++uses_[id];
  }
  // Replaces every `from` with `to`. Linear if `from` is an output.
  void replace(ValueId from, ValueId to) {
    if (!contains(from)) return;
    for (size_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == from) set(i, to);
  }

 private:
  std::vector<ValueId> ids_;
  std::unordered_map<ValueId, uint32_t> uses_;  // number of occurrences by value; absent means 0
};

}  // namespace nestrt::compiler
