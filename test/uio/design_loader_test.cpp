// SPDX-License-Identifier: Apache-2.0
// Tests `nestrt board load`: bitstreams and overlays that Linux loads, and each way in which that fails.
#include "drivers/evta/uio/design_loader.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "drivers/evta/board/device_lock.h"
#include "test/uio/emulation/overlay_file.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kOverlay = "sys/kernel/config/device-tree/overlays/evta";
constexpr std::chrono::hours kUnlimited{1};

size_t num_open_files(std::string_view end_of_name) {
  size_t count = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd", error))
    count += std::filesystem::read_symlink(file.path(), error).string().ends_with(end_of_name) ? 1 : 0;
  return count;
}

// Waits for a condition, or until `is_over`.
template <typename Condition>
void await(const std::atomic<bool>& is_over, Condition&& condition) {
  while (!condition() && !is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// A board without a design, with the files of one.
class NewBoard {
 public:
  NewBoard() : board_({.fabric = "unknown"}) {
    board_.write("lib/firmware/evta.bit.bin", "bitstream");
    board_.write("lib/firmware/evta.dtbo", make_overlay("evta.bit.bin"));
  }

  UioBoard& board() { return board_; }
  FpgaManager& manager() { return board_.fpga_manager(); }
  bool has_overlay() const { return std::filesystem::exists(board_.root() + "/" + kOverlay); }
  auto load(const evta::DesignFiles& files, const evta::LoadLimits& limits = {}) const {
    return evta::load_design(evta::SystemFiles(board_.root()), files, limits);
  }

  void check_loads(const evta::DesignFiles& files) const {
    const auto steps = load(files);
    if (!steps) FAIL(steps.error().to_string());
    for (const evta::BoardCheck& step : *steps) {
      CAPTURE(step.what, step.status.to_string());
      CHECK(step.status.ok());
    }
    CHECK(steps->back().found == "operating");
  }
  // Checks the failed step and that the following ones are skipped.
  void check_fails_at(std::string_view what, const std::string& words, const evta::DesignFiles& files,
                      const evta::LoadLimits& limits = {}) const {
    const auto steps = load(files, limits);
    if (!steps) FAIL(steps.error().to_string());
    const auto failed = std::ranges::find_if(*steps, [](const auto& step) { return !step.status.ok(); });
    REQUIRE(failed != steps->end());
    CHECK(failed->what == what);
    CHECK_THAT(failed->status.to_string(), Contains(words));
    CHECK(
        std::all_of(failed + 1, steps->end(), [](const auto& step) { return step.status.code() == Code::kCancelled; }));
  }
  // Checks that nothing is changed.
  void check_rejects(const evta::DesignFiles& files, Code code, const std::string& words) {
    const size_t num_loaded = manager().loaded().size();
    const auto steps = load(files);
    REQUIRE_FALSE(steps);
    CHECK(steps.error().code() == code);
    CHECK_THAT(std::string(steps.error().message()), Contains(words));
    CHECK(manager().loaded().size() == num_loaded);
    CHECK_FALSE(has_overlay());
  }

 private:
  UioBoard board_;
};

TEST_CASE("An overlay is applied and loads the bitstream that it names") {
  NewBoard fresh;
  fresh.check_loads({.overlay = "evta.dtbo"});
  CHECK(fresh.has_overlay());
  CHECK(fresh.manager().loaded() == std::vector<std::string>{"evta.bit.bin "});
  fresh.check_loads({.bitstream = "evta.bit.bin", .overlay = "/lib/firmware/evta.dtbo"});  // replaces the overlay
  CHECK(fresh.manager().loaded().size() == 2);
  CHECK(fresh.board().num_accesses() == 0);
}

TEST_CASE("A bitstream without an overlay is loaded by the FPGA manager, with flags for a full bitstream") {
  NewBoard fresh;
  fresh.board().write("sys/class/fpga_manager/fpga0/flags", "20");  // of an earlier load: encrypted
  fresh.check_loads({.bitstream = "evta.bit.bin"});
  CHECK(fresh.manager().loaded() == std::vector<std::string>{"evta.bit.bin 0"});
  CHECK_FALSE(fresh.has_overlay());
}

TEST_CASE("A bitstream is loaded before an overlay that names none") {
  NewBoard fresh;
  fresh.board().write("lib/firmware/evta.dtbo", make_overlay(""));
  fresh.manager().set_bitstream_of_overlays("");
  fresh.check_loads({.bitstream = "evta.bit.bin", .overlay = "evta.dtbo"});
  CHECK(fresh.has_overlay());
  CHECK(fresh.manager().loaded() == std::vector<std::string>{"evta.bit.bin 0"});
}

TEST_CASE("Files that Linux cannot load are rejected before anything changes") {
  NewBoard fresh;
  fresh.check_rejects({}, Code::kInvalidArgument, "use --overlay, --bitstream or both");
  fresh.check_rejects({.bitstream = "/media/card/evta.bit.bin"}, Code::kNotFound,
                      "cp /media/card/evta.bit.bin /lib/firmware");
  fresh.check_rejects({.bitstream = "../../etc/passwd"}, Code::kNotFound, "does not exist in");
  fresh.check_rejects({.bitstream = "../firmware/evta.bit.bin"}, Code::kNotFound, "does not exist in");
  fresh.board().write("lib/firmware/vivado.bit", std::string("\x00\x09\x0f\xf0\x0f\xf0\x0f\xf0", 8));
  fresh.check_rejects({.bitstream = "vivado.bit"}, Code::kInvalidArgument, "bootgen -image");
  fresh.board().write("lib/firmware/empty.bin", "");
  fresh.check_rejects({.bitstream = "empty.bin"}, Code::kInvalidArgument, "is empty");
  fresh.check_rejects({.overlay = "evta.bit.bin"}, Code::kInvalidArgument, "dtc -@");
  fresh.board().write("lib/firmware/large.dtbo", make_overlay("evta.bit.bin") + std::string(1 << 20, '\0'));
  fresh.check_rejects({.overlay = "large.dtbo"}, Code::kInvalidArgument, "is larger than 1048576 bytes");
  fresh.board().write("lib/firmware/other.bit.bin", "bitstream");
  fresh.check_rejects({.bitstream = "other.bit.bin", .overlay = "evta.dtbo"}, Code::kInvalidArgument,
                      "loads the bitstream evta.bit.bin, not other.bit.bin");
  fresh.board().remove("lib/firmware/evta.bit.bin");
  fresh.check_rejects({.overlay = "evta.dtbo"}, Code::kNotFound, "'evta.bit.bin' does not exist");
}

TEST_CASE("No design is loaded while a process uses an accelerator, by any transport") {
  NewBoard fresh;
  fresh.board().write("sys/class/fpga_manager/fpga0/state", "operating\n");
  const evta::DesignFiles files{.overlay = "evta.dtbo"};
  {
    const auto owner = open_uio_transport();
    fresh.check_fails_at("owner", "evta at 0xa0000000 is in use by this process", files);
  }
  {
    const auto owner = evta::DeviceLock::acquire(evta::SystemFiles(fresh.board().root()), "evta at 0xa0040000");
    REQUIRE(owner);
    fresh.check_fails_at("owner", "evta-at-0xa0040000 is in use by this process", files);
  }
  {
    const auto owner = evta::DeviceLock::acquire(evta::SystemFiles(fresh.board().root()), "udmabuf0");
    REQUIRE(owner);
    fresh.check_fails_at("owner", "udmabuf0 is in use by this process", files);
  }
  CHECK(fresh.manager().loaded().empty());
  CHECK_FALSE(fresh.has_overlay());
  fresh.check_loads(files);
}

TEST_CASE("A load waits for the process that uses the accelerator on request") {
  NewBoard fresh;
  fresh.board().write("sys/class/fpga_manager/fpga0/state", "operating\n");
  auto owner = open_uio_transport();
  std::atomic<bool> is_over{false};
  std::thread ending([&] {
    await(is_over, [] { return num_open_files("nestrt-evta-at-0xa0000000.lock") == 2; });  // the owner and the load
    owner.reset();
  });
  const auto steps = fresh.load({.overlay = "evta.dtbo"}, {.owner = kUnlimited});
  is_over = true;
  ending.join();
  REQUIRE(steps);
  CHECK(steps->back().found == "operating");
}

TEST_CASE("A failed load states the FPGA manager's state and the remedy, and leaves no overlay") {
  NewBoard fresh;
  const evta::DesignFiles bitstream{.bitstream = "evta.bit.bin"};
  const evta::DesignFiles overlay{.overlay = "evta.dtbo"};
  fresh.manager().end_loads_with(EINVAL, "write init error");
  fresh.check_fails_at("bitstream", "Invalid argument (FPGA manager: write init error); see dmesg", bitstream);
  fresh.check_fails_at("overlay", "applying evta.dtbo failed", overlay);
  CHECK_FALSE(fresh.has_overlay());
  fresh.manager().end_loads_with(EACCES, "operating");
  fresh.check_fails_at("bitstream", "run this command as root", bitstream);
  fresh.manager().end_loads_with(0, "write complete error");
  fresh.check_fails_at("fabric", "write complete error", bitstream);
  fresh.manager().end_loads_with(0, "write");
  fresh.check_fails_at("fabric", "(FPGA manager: write)", bitstream, {.load = std::chrono::milliseconds(0)});
}

TEST_CASE("A failed load states that the former overlay is removed, and how to restore it") {
  NewBoard fresh;
  const evta::DesignFiles files{.overlay = "evta.dtbo"};
  fresh.check_loads(files);
  fresh.manager().end_loads_with(EINVAL, "write init error");
  fresh.check_fails_at("overlay", "the former overlay /sys/kernel/config/device-tree/overlays/evta is removed", files);
  fresh.manager().end_loads_with(0, "operating");
  fresh.check_loads(files);
}

TEST_CASE("Names of files may contain two consecutive dots") {
  NewBoard fresh;
  fresh.board().write("lib/firmware/evta..2.bin", "bitstream");
  fresh.check_loads({.bitstream = "evta..2.bin"});
}

TEST_CASE("A load waits until the fabric operates") {
  NewBoard fresh;
  fresh.manager().end_loads_with(0, "write");
  std::atomic<bool> is_over{false};
  std::thread ending([&] {
    await(is_over, [&] { return fresh.manager().state() == "write\n"; });
    fresh.board().write("sys/class/fpga_manager/fpga0/state", "operating\n");
  });
  const auto steps = fresh.load({.bitstream = "evta.bit.bin"}, {.load = kUnlimited});
  is_over = true;
  ending.join();
  REQUIRE(steps);
  CHECK(steps->back().found == "operating");
}

TEST_CASE("An overlay that is already applied under another name is named with the command that removes it") {
  NewBoard fresh;
  fresh.board().write("sys/kernel/config/device-tree/overlays/full/path", "vendor.dtbo");
  fresh.check_fails_at("overlay", "rmdir: /sys/kernel/config/device-tree/overlays/full", {.overlay = "evta.dtbo"});
  CHECK_FALSE(fresh.has_overlay());
}

TEST_CASE("Linux without a way to load designs is reported with what it lacks") {
  NewBoard fresh;
  const evta::DesignFiles overlay{.overlay = "evta.dtbo"};
  fresh.board().remove("sys/kernel/config/device-tree");
  fresh.check_fails_at("kernel", "mount configfs", overlay);
  fresh.board().remove("sys/class/fpga_manager/fpga0/firmware");
  fresh.board().write("sys/class/fpga_manager/fpga0/flags", "20");
  fresh.check_fails_at("kernel", "specify --overlay", {.bitstream = "evta.bit.bin"});
  CHECK(evta::SystemFiles(fresh.board().root()).read_text("/sys/class/fpga_manager/fpga0/flags") == "20");
  fresh.board().remove("sys/class/fpga_manager");
  fresh.check_fails_at("FPGA manager", "CONFIG_FPGA_MGR_ZYNQMP_FPGA", overlay);
}

}  // namespace
}  // namespace nestrt::boards
