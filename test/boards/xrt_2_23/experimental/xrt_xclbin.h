// SPDX-License-Identifier: Apache-2.0
// The contents of an xclbin, with XRT 2.23.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "test/boards/xrt_2_23/xrt/xrt_uuid.h"

struct axlf;

namespace xrt {

class xclbin {
 public:
  class mem {
   public:
    std::string get_tag() const;
    uint64_t get_base_address() const;
    uint64_t get_size_kb() const;
    int32_t get_index() const;
  };

  class arg {
   public:
    std::string get_name() const;
    std::vector<mem> get_mems() const;
    uint64_t get_size() const;
    uint64_t get_offset() const;
    explicit operator bool() const;
  };

  class ip {
   public:
    enum class control_type : uint8_t { hs = 0, chain = 1, none = 2, fa = 5 };

    std::string get_name() const;
    control_type get_control_type() const;
    std::vector<arg> get_args() const;
    uint64_t get_base_address() const;
  };

  explicit xclbin(const std::string& file);

  std::vector<ip> get_ips() const;
  std::vector<mem> get_mems() const;
  uuid get_uuid() const;
  const axlf* get_axlf() const;

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace xrt
