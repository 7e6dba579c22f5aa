// SPDX-License-Identifier: Apache-2.0
// UUIDs of XRT 2.23.
#pragma once

#include <string>

namespace xrt {

class uuid {
 public:
  std::string to_string() const;
  operator bool() const;
  bool operator==(const uuid& other) const;
  bool operator!=(const uuid& other) const;

 private:
  unsigned char bytes_[16] = {};
};

}  // namespace xrt
