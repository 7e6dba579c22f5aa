// SPDX-License-Identifier: Apache-2.0
#include "drivers/component.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/platform/environment.h"
#include "runtime/platform/own_folder.h"

namespace nestrt::drivers {

#ifdef NESTRT_STATIC

Result<const Component*> find_component(std::string_view name, const char* /*entry*/) {
  return Status(Code::kUnavailable,
                fmt::format("this program is statically linked and cannot load libnestrt_{}.so", name));
}

Result<std::string> find_component_file(const std::string& name) {
  return Status(Code::kUnavailable, fmt::format("this program is statically linked and has no {}", name));
}

#else

namespace {

namespace fs = std::filesystem;

// Returns the folders to search: the folder of the component that contains this code, if any; folders relative to the
// library or program that contains it; and the installation prefix of this build.
std::vector<fs::path> folders() {
  if (const std::string chosen = trusted_variable("NESTRT_COMPONENTS"); !chosen.empty()) return {chosen};
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) {
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  };
  const fs::path own = own_folder();
  if (own.filename() == "nestrt") add(own);
  if (own.is_absolute())
    for (const char* const relative : {"nestrt", "../lib/nestrt", "../" NESTRT_INSTALLED_LIBRARIES "/nestrt"})
      add((own / relative).lexically_normal());
  add(NESTRT_INSTALL_PREFIX "/" NESTRT_INSTALLED_LIBRARIES "/nestrt");
  return folders;
}

Status not_installed(std::string_view name, const std::vector<fs::path>& places) {
  std::string looked;
  for (const fs::path& place : places) looked += fmt::format("{}{}", looked.empty() ? "" : ", ", place.string());
  return Status(Code::kUnavailable,
                fmt::format("{} is not installed (searched: {}); install it, or set its folder in the environment "
                            "variable NESTRT_COMPONENTS",
                            name, looked));
}

// Returns the remedy for an error of the dynamic loader, or an empty string.
std::string_view loading_advice(std::string_view why) {
  const auto has = [&](std::string_view words) { return why.find(words) != std::string_view::npos; };
  if (has("cannot open shared object file")) return "; install the package of that library";
  if (has("' not found") || has("undefined symbol"))
    return "; it was built for other versions of its libraries: build nestrt with this system's SDK";
  return "";
}

Status cannot_load(const fs::path& file) {
  const char* const reported = ::dlerror();
  const std::string why = reported != nullptr ? reported : "?";
  return Status(Code::kUnavailable, fmt::format("{} cannot be loaded: {}{}", file.string(), why, loading_advice(why)));
}

Result<const Component*> load(const fs::path& file, const char* entry_name) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return cannot_load(file);
  const auto entry = reinterpret_cast<ComponentEntry>(::dlsym(library, entry_name));
  if (entry == nullptr) return cannot_load(file);
  const Component* const component = entry();
  if (component == nullptr)
    return Status(Code::kIncompatible, fmt::format("{} is not a nestrt component; reinstall nestrt", file.string()));
  if (component->version == NESTRT_VERSION) return component;
  return Status(Code::kIncompatible,
                fmt::format("{} belongs to nestrt {}, but this is nestrt {}; install the component of version {}",
                            file.string(), component->version, NESTRT_VERSION, NESTRT_VERSION));
}

}  // namespace

Result<const Component*> find_component(std::string_view name, const char* entry) {
  NESTRT_ASSIGN_OR_RETURN(const std::string file, find_component_file(fmt::format("libnestrt_{}.so", name)));
  return load(file, entry);
}

Result<std::string> find_component_file(const std::string& name) {
  const std::vector<fs::path> places = folders();
  std::error_code error;
  for (const fs::path& folder : places)
    if (const fs::path file = folder / name; fs::exists(file, error)) return fs::absolute(file, error).string();
  return not_installed(name, places);
}

#endif

}  // namespace nestrt::drivers
