// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_board.h"

#include <algorithm>

namespace nestrt::evta {

const XrtBoard& attached_xrt_board(const SystemFiles& system) {
  const auto is_of_zocl = [](const std::string& link) { return link.find("zyxclmm_drm") != std::string::npos; };
  return *find_xrt_board(std::ranges::any_of(system.list("/dev/dri/by-path"), is_of_zocl) ? "zcu102" : "u280");
}

}  // namespace nestrt::evta
