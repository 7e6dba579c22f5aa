// SPDX-License-Identifier: Apache-2.0
// Registers of XRT 2.23.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "test/boards/xrt_2_23/xrt/xrt_device.h"

namespace xrt {

class ip {
 public:
  ip(const device& device, const uuid& xclbin, const std::string& name);

  void write_register(uint32_t offset, uint32_t value);
  uint32_t read_register(uint32_t offset) const;

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace xrt
