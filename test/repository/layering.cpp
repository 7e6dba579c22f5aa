// SPDX-License-Identifier: Apache-2.0
#include "test/repository/layering.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace nestrt::test {
namespace {

struct Folder {
  std::string_view prefix;
  std::vector<std::string_view> may_include;  // in addition to itself
};

// Returns the folders. A file belongs to the first folder whose prefix matches.
const std::vector<Folder>& folders() {
  static const std::vector<Folder> kFolders = {
      {"runtime/", {}},
      {"kernels/", {"runtime/"}},
      {"scheduler/", {"runtime/"}},
      {"drivers/", {"runtime/", "kernels/", "scheduler/"}},
      {"tools/support/", {"runtime/"}},
      {"compiler-lite/", {"tools/support/", "runtime/", "kernels/", "scheduler/", "drivers/"}},
      {"tools/nestc/", {"compiler-lite/", "tools/support/", "runtime/", "kernels/", "scheduler/", "drivers/"}},
      {"tools/onnxruntime/",
       {"tools/nestc/", "compiler-lite/", "tools/support/", "runtime/", "kernels/", "scheduler/", "drivers/"}},
      {"tools/", {"tools/support/", "runtime/", "kernels/", "scheduler/", "drivers/"}},
      {"python/",
       {"compiler-lite/", "tools/nestc/", "tools/support/", "tools/", "runtime/", "kernels/", "scheduler/",
        "drivers/"}},
  };
  return kFolders;
}

struct Library {
  std::string_view prefix;
  std::vector<std::string_view> users;  // path prefixes
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> kLibraries = {
      {"onnx/", {"compiler-lite/", "tools/onnxruntime/", "examples/vendor/reference/", "test/"}},
      {"google/protobuf/", {"compiler-lite/", "test/"}},
      {"Eigen/", {"compiler-lite/", "test/"}},
      {"yaml-cpp/", {"compiler-lite/", "tools/", "test/"}},
      {"nanobind/", {"python/"}},
      {"CLI/", {"tools/support/text/cli.cpp"}},
      {"nlohmann/", {"compiler-lite/", "tools/support/text/json.", "test/"}},
      {"fmt/", {"runtime/", "kernels/", "scheduler/", "drivers/", "compiler-lite/", "tools/", "test/"}},
      {"spdlog/", {"runtime/core/"}},
      {"flatbuffers/",
       {"runtime/plan/format/decode.", "runtime/plan/format/encode.", "runtime/plan/format/operator_codec.h",
        "compiler-lite/import/tflite/", "test/compiler-lite/import/tflite/", "test/runtime/plan/"}},
      {"runtime/plan/format/plan_generated.h",
       {"runtime/plan/format/decode.", "runtime/plan/format/encode.", "runtime/plan/format/operator_codec.h",
        "test/runtime/plan/"}},
      {"xrt/", {"drivers/evta/xrt/"}},
      {"experimental/xrt", {"drivers/evta/xrt/"}},
      {"hwy/", {"kernels/", "drivers/evta/simulator/", "test/kernels/"}},
      {"jpeglib.h", {}},  // reports errors by longjmp; turbojpeg.h returns them
      {"turbojpeg.h", {"tools/support/"}},
      {"utf8proc.h", {"tools/support/"}},
      {"stb/", {"tools/support/", "examples/", "test/"}},
      {"catch2/", {"test/"}},
      {"benchmark/", {"test/", "kernels/", "scheduler/"}},
  };
  return kLibraries;
}

struct Include {
  std::string target;
  bool quoted;
  size_t line;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  size_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("#")) continue;
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    if (!line.starts_with("include")) continue;
    const size_t begin = line.find_first_of("<\"");
    if (begin == std::string_view::npos) continue;
    const bool quoted = line[begin] == '"';
    const size_t end = line.find(quoted ? '"' : '>', begin + 1);
    includes.push_back({std::string(line.substr(begin + 1, end - begin - 1)), quoted, number});
  }
  return includes;
}

bool is_generated(std::string_view target) { return target.ends_with("_generated.h"); }

// Returns the file of the tree that an include refers to; nullopt for a library header.
std::optional<std::string> resolve(const SourceTree& tree, const Include& include) {
  for (const std::string& path :
       {include.target, "runtime/include/" + include.target, "drivers/include/" + include.target}) {
    if (tree.contains(path)) return path;
  }
  return std::nullopt;
}

bool starts_with_any(std::string_view path, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return path.starts_with(prefix); });
}

const Folder* folder_of(std::string_view path) {
  for (const Folder& folder : folders()) {
    if (path.starts_with(folder.prefix)) return &folder;
  }
  return nullptr;
}

// Returns whether `from` may include `to`. Files outside these folders, such as examples and tests, may include
// everything.
bool may_include(const std::string& from, const std::string& to) {
  const Folder* source = folder_of(from);
  const Folder* target = folder_of(to);
  if (source == nullptr || source == target) return true;
  if (target == nullptr) return false;
  return std::find(source->may_include.begin(), source->may_include.end(), target->prefix) != source->may_include.end();
}

bool is_own_path(std::string_view target) {
  return target.starts_with("nestrt/") || target.starts_with("test/") || target.starts_with("examples/") ||
         folder_of(target) != nullptr;
}

std::string finding(const std::string& path, const Include& include, std::string_view what) {
  return path + ":" + std::to_string(include.line) + ": includes " + include.target + ", " + std::string(what);
}

// Maps each file or folder to the files or folders that it includes.
using IncludeGraph = std::map<std::string, std::set<std::string>>;

// Depth-first search.
class CycleSearch {
 public:
  explicit CycleSearch(const IncludeGraph& graph) : graph_(graph) {}

  void visit(const std::string& node) {
    if (finished_.contains(node)) return;
    if (auto begin = std::find(stack_.begin(), stack_.end(), node); begin != stack_.end()) {
      report({begin, stack_.end()});
      return;
    }
    stack_.push_back(node);
    if (const auto targets = graph_.find(node); targets != graph_.end())
      for (const std::string& target : targets->second) visit(target);
    stack_.pop_back();
    finished_.insert(node);
  }

  Findings findings() && { return std::move(findings_); }

 private:
  void report(const std::vector<std::string>& cycle) {
    std::string text;
    for (const std::string& node : cycle) text += node + " -> ";
    findings_.push_back(text + cycle.front());
  }

  const IncludeGraph& graph_;
  std::vector<std::string> stack_;
  std::set<std::string> finished_;
  Findings findings_;
};

Findings cycles_of(const IncludeGraph& graph) {
  CycleSearch search(graph);
  for (const auto& [node, targets] : graph) search.visit(node);
  return std::move(search).findings();
}

// Returns the folder with its trailing slash.
std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool contains_other(const std::string& folder, const std::string& other) {
  return folder.starts_with(other) || other.starts_with(folder);
}

}  // namespace

Findings layering_violations(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_code(path)) continue;
    for (const Include& include : includes_of(text)) {
      if (!is_own_path(include.target) || is_generated(include.target)) continue;
      const auto target = resolve(tree, include);
      if (!target) {
        findings.push_back(finding(path, include, "which does not exist"));
      } else if (!may_include(path, *target)) {
        findings.push_back(finding(path, include, "which its layer must not include (see ARCHITECTURE.md)"));
      }
    }
  }
  return findings;
}

Findings library_violations(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_code(path)) continue;
    for (const Include& include : includes_of(text)) {
      for (const Library& library : libraries()) {
        if (include.target.starts_with(library.prefix) && !starts_with_any(path, library.users)) {
          findings.push_back(finding(path, include, "a library that this folder must not use"));
        }
      }
    }
  }
  return findings;
}

Findings include_cycles(const SourceTree& tree) {
  IncludeGraph graph;
  for (const auto& [path, text] : tree) {
    if (!is_header(path)) continue;
    for (const Include& include : includes_of(text))
      if (const auto target = resolve(tree, include)) graph[path].insert(*target);
  }
  return cycles_of(graph);
}

Findings folder_cycles(const SourceTree& tree) {
  IncludeGraph graph;
  for (const auto& [path, text] : tree) {
    if (!is_code(path) || folder_of(path) == nullptr) continue;
    const std::string folder = parent_of(path);
    for (const Include& include : includes_of(text)) {
      const auto target = resolve(tree, include);
      if (target && !contains_other(folder, parent_of(*target))) graph[folder].insert(parent_of(*target));
    }
  }
  return cycles_of(graph);
}

Findings crowded_folders(const SourceTree& tree) {
  constexpr size_t kMaxSources = 25;
  std::map<std::string, size_t> sources;
  for (const auto& [path, text] : tree)
    if (is_code(path)) ++sources[parent_of(path)];
  Findings findings;
  for (const auto& [folder, count] : sources)
    if (count > kMaxSources)
      findings.push_back(folder + ": " + std::to_string(count) + " sources, expected at most " +
                         std::to_string(kMaxSources) + "; split it by concept");
  return findings;
}

}  // namespace nestrt::test
