// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/vendor/isolation/crashing_plugin.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <new>
#include <vector>

#include "drivers/vendor/vendor_unit.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/skip.h"

namespace nestrt::vendor::test {
namespace {

// Creates the orders in a temporary file of this process.
Orders* make_orders() {
  static const nestrt::test::TemporaryFolder kFolder;
  const std::string path = kFolder.write("orders", std::vector<std::byte>(sizeof(Orders)));
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  void* const mapped = ::mmap(nullptr, sizeof(Orders), PROT_READ | PROT_WRITE, MAP_SHARED, file.value(), 0);
  if (mapped == MAP_FAILED) FAIL("the file with the orders cannot be mapped");
  ::setenv(kOrdersVariable, path.c_str(), 1);
  return new (mapped) Orders;
}

}  // namespace

bool isolation_works() {
  // Without arguments, the program prints its usage and exits with 2.
  static const int kStatus = std::system("'" NESTRT_BINARY_DIR "/lib/nestrt/nestrt-plugin' 2>/dev/null");
  return WIFEXITED(kStatus) && WEXITSTATUS(kStatus) == 2;
}

bool needs_isolation() {
  if (isolation_works()) return true;
  nestrt::test::skip("this machine cannot start a process for a plug-in");
  return false;
}

Orders& new_orders() {
  static Orders* const kOrders = make_orders();
  kOrders->forget();
  return *kOrders;
}

Isolation with_timeout(std::chrono::milliseconds limit) {
  Isolation isolation;
  isolation.call_limit = 5 * limit;
  isolation.stop_limit = limit;
  return isolation;
}

std::shared_ptr<Unit> open_crashing_unit(const Isolation& isolation) {
  auto device = IsolatedDevice::open(kCrashingPlugin, 0, isolation);
  if (!device) FAIL(device.error().to_string());
  auto unit = make_vendor_unit(*device, 0);
  if (!unit) FAIL(unit.error().to_string());
  return *unit;
}

}  // namespace nestrt::vendor::test
