// SPDX-License-Identifier: Apache-2.0
// nestrt-plugin: runs a vendor's plug-in in a separate process (drivers/vendor/isolation). It is started, with its
// lanes open, by libnestrt_vendor of the same version; it is not for interactive use.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/vendor/isolation/server.h"

int main(int count, char** arguments) {
  using nestrt::vendor::kFirstLaneDescriptor;
  using nestrt::vendor::kNumLanes;
  if (count < 4) {
    std::fprintf(stderr, "nestrt-plugin: runs a vendor's plug-in; started by libnestrt (docs/how-to/plugins.md)\n");
    return 2;
  }
  // Descriptors that the application left open for its children must not be visible to a plug-in.
  constexpr int kFirstOther = kFirstLaneDescriptor + static_cast<int>(kNumLanes);
  ::syscall(SYS_close_range, kFirstOther, ~0U, 0);
  std::array<int, kNumLanes> lanes;
  for (size_t lane = 0; lane < kNumLanes; ++lane) lanes[lane] = kFirstLaneDescriptor + static_cast<int>(lane);
  nestrt::vendor::Server server(lanes);
  std::vector<nestrt::vendor::PluginOption> options;
  for (int i = 4; i < count; ++i) {
    const std::string option = arguments[i];
    const size_t equals = std::min(option.find('='), option.size());
    options.push_back({option.substr(0, equals), option.substr(std::min(equals + 1, option.size()))});
  }
  if (arguments[1] == std::string_view(NESTRT_VERSION))
    server.serve(arguments[2], static_cast<uint32_t>(std::strtoul(arguments[3], nullptr, 10)), options);
  else
    server.refuse(nestrt::Status(nestrt::Code::kIncompatible,
                                 std::string(arguments[0]) +
                                     " belongs to nestrt " NESTRT_VERSION ", but this is nestrt " + arguments[1] +
                                     "; install the component of version " + arguments[1]));
  std::fflush(nullptr);
  ::_exit(0);  // other threads are waiting for requests
}
