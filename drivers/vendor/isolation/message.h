// SPDX-License-Identifier: Apache-2.0
// Messages between a plug-in's process and the process that uses it: a Request, and a Reply to each Request except
// kCancel. Both ends have the same version of nestrt (main.cpp), so no conversion is needed.
//
// Three lanes, one socket each, provide the concurrency that nestrt/vendor.h allows. Each lane has at most one pending
// request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nestrt/vendor.h"

namespace nestrt::vendor {

enum class Lane : uint8_t {
  kLoad,    // kShare to kClose; the first reply, with number 0, reports that the device is open
  kRun,     // kRun, kSelfTest
  kCancel,  // kCancel
};
inline constexpr size_t kNumLanes = 3;
// Descriptor of lane 0 in the plug-in's process; the other lanes follow.
inline constexpr int kFirstLaneDescriptor = 3;

enum class Call : uint32_t {
  kShare,   // `id`, `bytes`; with the descriptor of memory for ports
  kForget,  // `id` of shared memory
  kLoad,    // `id`, `bytes`, `description_bytes`; with the descriptor of both (share_copy())
  kUnload,  // `id`
  kClose,   // closes the device; the process ends after its reply
  kRun,     // `id`, places of ports, deadline
  kSelfTest,
  kCancel,  // `number` of the kRun to cancel
};

struct Request {
  uint64_t number;  // unique within its lane
  Call call;
  uint32_t reserved;
  uint64_t id;  // id of a program or of shared memory; assigned by the requester
  uint64_t bytes;
  uint64_t description_bytes;  // kLoad: of the part's description (part_codec.h), which follows the blob
  int64_t deadline_ns;         // of CLOCK_MONOTONIC; INT64_MAX for no deadline
  struct Port {
    uint64_t bytes;   // from the offset to the end of the memory
    uint64_t memory;  // id of shared memory, followed by the offset in it
    uint64_t offset;
  };
  std::array<Port, NESTRT_VENDOR_MAX_PORTS> ports;  // kRun
};

struct Reply {
  uint64_t number;  // number of the request
  int32_t code;     // nestrt::Code
  uint32_t reserved;
  nestrt_vendor_description description;  // in the first reply
  char text[1000];                        // message of a failure
};

}  // namespace nestrt::vendor
