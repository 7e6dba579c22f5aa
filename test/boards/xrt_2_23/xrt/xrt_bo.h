// SPDX-License-Identifier: Apache-2.0
// Buffers of XRT 2.23.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "test/boards/xrt_2_23/xrt/xrt_device.h"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE };

namespace xrt {

using memory_group = uint32_t;

class bo {
 public:
  enum class flags : uint32_t { normal = 0, cacheable = 1u << 24 };

  bo(const device& device, size_t size, flags flags, memory_group group);

  uint64_t address() const;
  void sync(xclBOSyncDirection direction, size_t size, size_t offset);
  void* map();
  template <typename Pointer>
  Pointer map() {
    return static_cast<Pointer>(map());
  }

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace xrt
