// What a process that has a plug-in and the one that asks it say to each other: a Request, and a Reply to each but
// those of kCancel. Both ends are of one version of nestrt (main.cpp): nothing is converted.
//
// Three lanes, a socket each, so that what nestrt/vendor.h allows at the same time happens at the same time. On a lane
// one request is under way at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nestrt/vendor.h"

namespace nestrt::vendor {

enum class Lane : uint8_t {
  kLoad,    // kShare to kClose; at first a reply without a request, whose number is 0: the device is open
  kRun,     // kRun, kSelfTest
  kCancel,  // kCancel
};
inline constexpr size_t kNumLanes = 3;
// Of the process that has the plug-in: that of lane 0, and those of the others behind it.
inline constexpr int kFirstLaneDescriptor = 3;

enum class Call : uint32_t {
  kShare,   // `id`, `bytes`; with the descriptor of memory for ports
  kForget,  // `id`: what was shared
  kLoad,    // `id`, `bytes`, sizes of ports; with the descriptor of the blob
  kUnload,  // `id`
  kClose,   // the device; the process ends after its reply
  kRun,     // `id`, places of ports, deadline
  kSelfTest,
  kCancel,  // `number`: of the kRun that nobody waits for any more
};

struct Request {
  uint64_t number;  // no other request's of its lane
  Call call;
  uint32_t num_inputs, num_outputs;
  uint32_t reserved;
  uint64_t id;  // of a program, or of shared memory: whoever asks gives them
  uint64_t bytes;
  int64_t deadline_ns;  // of CLOCK_MONOTONIC; INT64_MAX: none
  struct Port {
    uint64_t bytes;   // kLoad
    uint64_t memory;  // kRun: what was shared, and where in it
    uint64_t offset;
  };
  std::array<Port, NESTRT_VENDOR_MAX_PORTS> ports;
};

struct Reply {
  uint64_t number;  // the request's
  int32_t code;     // nestrt::Code
  uint32_t reserved;
  nestrt_vendor_description description;  // of the first reply
  char text[1000];                        // of a failure
};

}  // namespace nestrt::vendor
