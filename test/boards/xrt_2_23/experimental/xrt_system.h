// SPDX-License-Identifier: Apache-2.0
// The system of XRT 2.23.
#pragma once

namespace xrt::system {

unsigned int enumerate_devices();

}  // namespace xrt::system
