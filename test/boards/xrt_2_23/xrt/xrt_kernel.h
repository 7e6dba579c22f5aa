// SPDX-License-Identifier: Apache-2.0
// Kernels and runs of XRT 2.23.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "test/boards/xrt_2_23/xrt/xrt_device.h"

enum ert_cmd_state {
  ERT_CMD_STATE_NEW = 1,
  ERT_CMD_STATE_QUEUED,
  ERT_CMD_STATE_RUNNING,
  ERT_CMD_STATE_COMPLETED,
  ERT_CMD_STATE_ERROR,
  ERT_CMD_STATE_ABORT,
  ERT_CMD_STATE_SUBMITTED,
};

namespace xrt {

class kernel {
 public:
  enum class cu_access_mode : uint8_t { exclusive, shared, none };

  kernel(const device& device, const uuid& xclbin, const std::string& name, cu_access_mode mode);

 private:
  std::shared_ptr<void> handle_;
};

class run {
 public:
  explicit run(const kernel& kernel);

  void start();
  ert_cmd_state abort();
  ert_cmd_state state() const;
  template <typename Value>
  void set_arg(int index, Value&& value);
  void set_arg(int index, const void* value, size_t bytes);

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace xrt
