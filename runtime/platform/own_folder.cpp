// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/own_folder.h"

#include <dlfcn.h>
#include <link.h>

namespace nestrt {

namespace fs = std::filesystem;

fs::path own_folder() {
  Dl_info info;
  link_map* map = nullptr;
  const auto* const here = reinterpret_cast<const void*>(&own_folder);
  const bool is_known = ::dladdr1(here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  std::error_code error;
  // The entry for the program itself has no name; a statically linked program has no entry.
  const bool is_program = !is_known || map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0';
  return is_program ? fs::read_symlink("/proc/self/exe", error).parent_path() : fs::path(map->l_name).parent_path();
}

}  // namespace nestrt
