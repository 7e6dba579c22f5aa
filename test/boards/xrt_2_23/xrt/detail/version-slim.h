// SPDX-License-Identifier: Apache-2.0
// The part of XRT 2.23's interface that drivers/evta/xrt uses, declared anew. test/CMakeLists.txt compiles the driver
// with it, because the interface differs from that of the XRT that the tests use (2.13).
#pragma once

#define XRT_VERSION(major, minor) (((major) << 16) + (minor))
#define XRT_VERSION_CODE XRT_VERSION(2, 23)
