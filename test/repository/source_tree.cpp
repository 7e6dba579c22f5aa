// SPDX-License-Identifier: Apache-2.0
#include "test/repository/source_tree.h"

#include <fstream>
#include <iterator>
#include <set>

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"runtime",  "kernels", "scheduler",  "drivers", "compiler-lite",
                                         "examples", "test",    "toolchains", "script",  "docs",
                                         "tools",    "python",  "boards"};

bool is_text(const fs::path& path) {
  static const std::set<std::string> kExtensions = {".h",     ".c",  ".cpp", ".fbs", ".txt",
                                                    ".cmake", ".md", ".py",  ".sh",  ""};
  return kExtensions.contains(path.extension().string());
}

void load(const fs::path& root, const fs::path& file, SourceTree& tree) {
  if (!fs::is_regular_file(file) || !is_text(file)) return;
  std::ifstream stream(file, std::ios::binary);
  tree[fs::relative(file, root).generic_string()] = {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

SourceTree load_source_tree(const fs::path& root) {
  SourceTree tree;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) load(root, entry.path(), tree);
  for (std::string_view folder : kFolders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      load(root, entry.path(), tree);
    }
  }
  return tree;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_header(std::string_view path) { return path.ends_with(".h"); }
bool is_code(std::string_view path) { return is_header(path) || path.ends_with(".cpp") || path.ends_with(".c"); }

std::string join(const Findings& findings) {
  std::string text;
  for (const std::string& finding : findings) text += finding + "\n";
  return text;
}

}  // namespace nestrt::test
