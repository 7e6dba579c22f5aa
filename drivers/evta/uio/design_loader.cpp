// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/design_loader.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "drivers/evta/board/device_lock.h"
#include "drivers/evta/uio/check_list.h"
#include "drivers/evta/uio/device_tree_overlay.h"
#include "drivers/evta/uio/memory_pool.h"
#include "drivers/evta/uio/uio_devices.h"
#include "nestrt/driver/event.h"

namespace nestrt::evta {
namespace {

constexpr std::string_view kFirmware = "/lib/firmware", kManagers = "/sys/class/fpga_manager";
constexpr std::string_view kOverlays = "/sys/kernel/config/device-tree/overlays";
constexpr size_t kMaxOverlayBytes = 1 << 20;
constexpr std::chrono::milliseconds kPollInterval{10};

// --- Files.

bool has_parent_component(std::string_view name) { return fmt::format("/{}/", name).find("/../") != std::string::npos; }

// Linux reads firmware only from its own folder and takes names relative to it.
Result<std::string> firmware_name(const SystemFiles& system, std::string_view file) {
  std::string_view name = file;
  if (name.starts_with(kFirmware) && name.substr(kFirmware.size()).starts_with('/'))
    name.remove_prefix(kFirmware.size() + 1);
  const bool is_below = !name.empty() && name[0] != '/' && !has_parent_component(name);
  if (is_below && system.exists(fmt::format("{}/{}", kFirmware, name))) return std::string(name);
  return Status(Code::kNotFound,
                fmt::format("'{}' does not exist in {}, from which Linux loads designs; copy it there: cp {} {}", file,
                            kFirmware, file, kFirmware));
}

Result<std::string> read_firmware(const SystemFiles& system, std::string_view name, size_t max_bytes) {
  std::optional<std::string> bytes = system.read_bytes(fmt::format("{}/{}", kFirmware, name), max_bytes);
  if (bytes && !bytes->empty()) return std::move(*bytes);
  return Status(Code::kInvalidArgument,
                fmt::format("{}/{} is {}", kFirmware, name, bytes ? "empty; copy it again" : "not readable"));
}

// A .bit starts with a header of Vivado, which the FPGA manager does not accept.
Status check_bitstream(const SystemFiles& system, const std::string& name) {
  constexpr std::string_view kVivadoHeader("\x00\x09\x0f\xf0\x0f\xf0", 6);
  NESTRT_ASSIGN_OR_RETURN(const std::string header, read_firmware(system, name, kVivadoHeader.size()));
  if (header != kVivadoHeader) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{} is a .bit of Vivado, and Linux loads a .bit.bin; convert it: bootgen -image evta.bif "
                            "-arch zynqmp -process_bitstream bin",
                            name));
}

struct FoundDesign {
  std::string bitstream, overlay;     // names; empty if there is none
  bool is_loaded_by_overlay = false;  // the overlay names the bitstream
};

// Reads one byte more than allowed, to notice larger files.
Result<std::string> read_overlay(const SystemFiles& system, const std::string& name) {
  NESTRT_ASSIGN_OR_RETURN(std::string bytes, read_firmware(system, name, kMaxOverlayBytes + 1));
  if (bytes.size() <= kMaxOverlayBytes) return bytes;
  return Status(Code::kInvalidArgument, fmt::format("the overlay {} is larger than {} bytes; name the bitstream in it "
                                                    "(firmware-name) instead of including its data",
                                                    name, kMaxOverlayBytes));
}

Result<FoundDesign> find_overlay(const SystemFiles& system, std::string_view file) {
  FoundDesign design;
  NESTRT_ASSIGN_OR_RETURN(design.overlay, firmware_name(system, file));
  NESTRT_ASSIGN_OR_RETURN(const std::string bytes, read_overlay(system, design.overlay));
  NESTRT_ASSIGN_OR_RETURN(design.bitstream, bitstream_of_overlay(bytes));
  design.is_loaded_by_overlay = !design.bitstream.empty();
  return design;
}

Result<FoundDesign> find_design(const SystemFiles& system, const DesignFiles& files) {
  FoundDesign design;
  if (!files.overlay.empty()) {
    NESTRT_ASSIGN_OR_RETURN(design, find_overlay(system, files.overlay));
  }
  std::string_view bitstream = files.bitstream;
  if (bitstream.empty()) bitstream = design.bitstream;
  if (bitstream.empty()) return design;
  NESTRT_ASSIGN_OR_RETURN(std::string name, firmware_name(system, bitstream));
  NESTRT_RETURN_IF_ERROR(check_bitstream(system, name));
  if (design.is_loaded_by_overlay && name != design.bitstream)
    return Status(Code::kInvalidArgument, fmt::format("the overlay {} loads the bitstream {}, not {}; correct its "
                                                      "firmware-name, or specify only the overlay",
                                                      design.overlay, design.bitstream, name));
  design.bitstream = std::move(name);
  return design;
}

// --- Steps.

class Loading {
 public:
  Loading(const SystemFiles& system, FoundDesign design, const LoadLimits& limits)
      : system_(system), design_(std::move(design)), limits_(limits) {}

  std::vector<BoardCheck> run() {
    steps_.stop_at_failure();
    steps_.add("FPGA manager", [&] { return find_manager(); });
    steps_.add("kernel", [&] { return check_kernel(); });
    steps_.add("owner", [&] { return lock(); });
    if (!design_.overlay.empty()) steps_.add("former overlay", [&] { return remove_overlay(); });
    if (has_separate_bitstream()) steps_.add("bitstream", [&] { return load_bitstream(); });
    if (!design_.overlay.empty()) steps_.add("overlay", [&] { return apply_overlay(); });
    steps_.add("fabric", [&] { return await_fabric(); });
    return steps_.take();
  }

 private:
  Result<std::string> find_manager();
  Result<std::string> check_kernel() const;
  Result<std::string> lock();
  Result<std::string> remove_overlay();
  Result<std::string> load_bitstream() const;
  Result<std::string> apply_overlay() const;
  Result<std::string> await_fabric() const;

  bool has_separate_bitstream() const { return !design_.is_loaded_by_overlay && !design_.bitstream.empty(); }
  std::string manager_file(std::string_view name) const { return fmt::format("{}/{}/{}", kManagers, manager_, name); }
  std::string state() const { return system_.read_text(manager_file("state")).value_or("unreadable"); }
  Status describe_failure(std::string_view what, int error) const;
  std::string overlay_folder() const;
  std::string other_overlays() const;

  const SystemFiles& system_;
  const FoundDesign design_;
  const LoadLimits limits_;
  std::string manager_;
  std::vector<DeviceLock> locks_;
  std::string removed_;  // the folder of the former overlay
  CheckList steps_;
};

Result<std::string> Loading::find_manager() {
  const std::vector<std::string> managers = system_.list(kManagers);
  if (managers.empty())
    return Status(
        Code::kUnavailable,
        fmt::format("{} is empty: use a kernel with an FPGA manager (CONFIG_FPGA_MGR_ZYNQMP_FPGA)", kManagers));
  manager_ = managers.front();
  return fmt::format("{}: {}", manager_, state());
}

// Checks all that the later steps need, because those change the board.
Result<std::string> Loading::check_kernel() const {
  if (has_separate_bitstream() && !system_.exists(manager_file("firmware")))
    return Status(Code::kUnavailable,
                  fmt::format("{} does not exist, because this kernel loads bitstreams only with overlays: name the "
                              "bitstream in an overlay (firmware-name), and specify --overlay",
                              manager_file("firmware")));
  if (!design_.overlay.empty() && !system_.exists(kOverlays))
    return Status(Code::kUnavailable,
                  fmt::format("{} does not exist: mount configfs (mount -t configfs none /sys/kernel/config), or use a "
                              "kernel of Xilinx (CONFIG_OF_CONFIGFS)",
                              kOverlays));
  return std::string("loads these files");
}

// A running accelerator holds its own lock and that of its memory pool.
Result<std::string> Loading::lock() {
  std::vector<std::string> names;
  for (const PoolInfo& pool : find_pools(system_)) names.push_back(pool.name);
  for (const UioAccelerator& accelerator : find_uio_accelerators(system_)) names.push_back(accelerator.lock_name());
  NESTRT_ASSIGN_OR_RETURN(locks_, DeviceLock::acquire_all(system_, "evta at ", names, limits_.owner));
  return std::string("none");
}

std::string Loading::overlay_folder() const {
  const std::string_view file = std::string_view(design_.overlay).substr(design_.overlay.rfind('/') + 1);
  return fmt::format("{}/{}", kOverlays, file.substr(0, file.find('.')));
}

std::string Loading::other_overlays() const {
  std::string names;
  for (const std::string& name : system_.list(kOverlays)) {
    const std::string folder = fmt::format("{}/{}", kOverlays, name);
    if (folder != overlay_folder()) names += (names.empty() ? "" : ", ") + folder;
  }
  return names;
}

Status Loading::describe_failure(std::string_view what, int error) const {
  std::string remedy = "see dmesg; a bitstream must be built for this device and converted by bootgen";
  if (error == EACCES || error == EPERM) remedy = "run this command as root";
  const std::string others = design_.overlay.empty() ? "" : other_overlays();
  if (error != EACCES && error != EPERM && !others.empty())
    remedy += "; only one overlay can load a design, so remove others with rmdir: " + others;
  if (!removed_.empty())
    remedy += fmt::format(
        "; the former overlay {} is removed, so the board has no usable design now: correct the cause and load this "
        "design again, or load the former file with nestrt board load --overlay FILE",
        removed_);
  return Status(Code::kUnavailable, fmt::format("{} failed: {} (FPGA manager: {}); {}", what,
                                                std::generic_category().message(error), state(), remedy));
}

Result<std::string> Loading::remove_overlay() {
  const std::string folder = overlay_folder();
  if (!system_.exists(folder)) return std::string("none");
  if (::rmdir(system_.path(folder).c_str()) != 0) return describe_failure("removing " + folder, errno);
  removed_ = folder;
  return "removed " + folder;
}

Result<std::string> Loading::load_bitstream() const {
  // Kernels of Xilinx keep the flags of the previous load; 0 means a full, unencrypted bitstream.
  if (system_.exists(manager_file("flags")))
    if (const int error = system_.write_text(manager_file("flags"), "0"))
      return describe_failure("writing " + manager_file("flags"), error);
  if (const int error = system_.write_text(manager_file("firmware"), design_.bitstream))
    return describe_failure("loading " + design_.bitstream, error);
  return design_.bitstream;
}

Result<std::string> Loading::apply_overlay() const {
  const std::string folder = overlay_folder();
  if (::mkdir(system_.path(folder).c_str(), 0755) != 0) return describe_failure("creating " + folder, errno);
  int error = system_.write_text(folder + "/path", design_.overlay);
  const std::string status = system_.read_text(folder + "/status").value_or("applied");
  if (error == 0 && status != "applied") error = EINVAL;
  if (error == 0)
    return design_.is_loaded_by_overlay ? fmt::format("{} with {}", design_.overlay, design_.bitstream)
                                        : design_.overlay;
  static_cast<void>(::rmdir(system_.path(folder).c_str()));
  return describe_failure("applying " + design_.overlay, error);
}

Result<std::string> Loading::await_fabric() const {
  const Deadline end = SteadyClock::now() + limits_.load;
  while (true) {
    const std::string found = state();
    if (found == "operating") return found;
    const bool has_failed = found.find("error") != std::string::npos;
    if (has_failed || SteadyClock::now() >= end) return describe_failure("loading", has_failed ? EIO : ETIMEDOUT);
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace

Result<std::vector<BoardCheck>> load_design(const SystemFiles& system, const DesignFiles& files,
                                            const LoadLimits& limits) {
  return guarded([&]() -> Result<std::vector<BoardCheck>> {
    if (files.bitstream.empty() && files.overlay.empty())
      return Status(Code::kInvalidArgument, "no file to load is specified: use --overlay, --bitstream or both");
    NESTRT_ASSIGN_OR_RETURN(FoundDesign design, find_design(system, files));
    return Loading(system, std::move(design), limits).run();
  });
}

}  // namespace nestrt::evta
