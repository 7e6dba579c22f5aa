// SPDX-License-Identifier: Apache-2.0
// Devices of XRT 2.23.
#pragma once

#include <memory>
#include <string>

#include "test/boards/xrt_2_23/xrt/xrt_uuid.h"

namespace xrt {

class xclbin;

namespace info {

enum class device : unsigned int { bdf, name };

template <typename Parameter, Parameter parameter>
struct param_traits;
template <>
struct param_traits<device, device::bdf> {
  using return_type = std::string;
};
template <>
struct param_traits<device, device::name> {
  using return_type = std::string;
};

}  // namespace info

class device {
 public:
  device() = default;
  explicit device(unsigned int index);
  explicit device(int index) : device(static_cast<unsigned int>(index)) {}
  explicit device(const std::string& bdf);

  template <info::device parameter>
  typename info::param_traits<info::device, parameter>::return_type get_info() const;
  uuid load_xclbin(const xclbin& xclbin);
  uuid get_xclbin_uuid() const;

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace xrt
