// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "runtime/platform/guard.h"

namespace nestrt::evta {
namespace {

constexpr std::array kAdvice = {
    XrtAdvice{EOPNOTSUPP, Code::kIncompatible,
              "the xclbin is for a different shell than the card's; build it for the platform shown by `xbutil "
              "examine`, or flash that shell"},
    XrtAdvice{EBUSY, Code::kUnavailable,
              "another process or unit uses the device or its compute unit: stop it, or load the same xclbin"},
    XrtAdvice{
        EKEYREJECTED, Code::kIncompatible,
        "the xclbin is not signed as the card requires: sign it, or ask the administrator to lower the security level"},
    XrtAdvice{
        ETIMEDOUT, Code::kUnavailable,
        "the card's management function does not respond: load xclmgmt, or start MSD and MPD in a virtual machine"},
    XrtAdvice{EDEADLK, Code::kDeviceFault, "a compute unit is stuck: reset the card, xbutil reset --device BDF"},
    XrtAdvice{EIO, Code::kDeviceFault, "the transfer or the accelerator failed: see dmesg"},
    XrtAdvice{ENODEV, Code::kUnavailable, "the device is gone: check lspci, /dev/dri and dmesg"},
    XrtAdvice{ENOENT, Code::kUnavailable, "check that the device is in /dev/dri and that its driver is loaded"},
    XrtAdvice{EACCES, Code::kUnavailable, "permission denied: add your user to the group of /dev/dri/renderD*"},
    XrtAdvice{
        EPERM, Code::kUnavailable,
        "permission denied: add your user to the group of /dev/dri/renderD*; zocl also returns this if XRT does not "
        "support the xclbin; XRT's log has the details (runtime_log in xrt.ini)"},
    XrtAdvice{ENOMEM, Code::kOutOfMemory,
              "the bank or the kernel's memory is full: use fewer programs or instances, or enlarge the CMA pool"},
    XrtAdvice{EINVAL, Code::kInvalidArgument,
              "compare the names with those that `xclbinutil --info` shows for the xclbin"},
};

Status failure_of_errno(std::string_view what, int error, std::string_view words, Code otherwise) {
  const XrtAdvice* const advice = find_xrt_advice(error);
  if (advice == nullptr) return Status(otherwise, fmt::format("{}: {} (error {})", what, words, error));
  return Status(advice->code, fmt::format("{}: {} (error {}); {}", what, words, error, advice->advice));
}

// May throw std::bad_alloc.
Status failure_in_words(std::string_view what, Code otherwise) {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, fmt::format("{}: out of memory, on the host or in the bank", what));
  } catch (const std::system_error& error) {
    return failure_of_errno(what, std::abs(error.code().value()), error.what(), otherwise);
  } catch (const std::out_of_range& error) {
    return Status(Code::kIncompatible,
                  fmt::format("{}: {}; the xclbin does not have the expected interface", what, error.what()));
  } catch (const std::exception& error) {
    return Status(otherwise, fmt::format("{}: {}", what, error.what()));
  } catch (...) {
    return Status(otherwise, fmt::format("{}: unknown exception type", what));
  }
}

}  // namespace

const XrtAdvice* find_xrt_advice(int error) {
  const auto found = std::ranges::find(kAdvice, error, &XrtAdvice::error);
  return found == kAdvice.end() ? nullptr : &*found;
}

Status unit_in_use(const std::string& unit) noexcept {
  return guarded([&] {
    return Status(Code::kUnavailable,
                  fmt::format("{} is in use by another process, which has opened it exclusively: stop that process, or "
                              "use another instance",
                              unit));
  });
}

Status xrt_failure(std::string_view what, Code otherwise) noexcept {
  return guarded([&] { return failure_in_words(what, otherwise); });
}

}  // namespace nestrt::evta
