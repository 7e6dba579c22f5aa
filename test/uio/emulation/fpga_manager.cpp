// SPDX-License-Identifier: Apache-2.0
#include "test/uio/emulation/fpga_manager.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "test/boards/logic/device_node.h"

namespace nestrt::boards {
namespace {

constexpr std::string_view kManager = "sys/class/fpga_manager/fpga0/",
                           kOverlays = "sys/kernel/config/device-tree/overlays/";

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void FpgaManager::write_nodes(const std::string& state) {
  const std::string folder = root_ + "/" + std::string(kManager);
  for (const char* const attribute : {"firmware", "flags"}) write_node(folder + attribute, "");
  set_state(state);
  std::filesystem::create_directories(root_ + "/" + std::string(kOverlays));
  std::filesystem::create_directories(root_ + "/lib/firmware");
}

void FpgaManager::end_loads_with(int error, std::string state) {
  load_error_ = error;
  load_state_ = std::move(state);
}

std::string FpgaManager::state() const { return text_of_file(root_ + "/" + std::string(kManager) + "state"); }

void FpgaManager::set_state(const std::string& state) const {
  write_node(root_ + "/" + std::string(kManager) + "state", state + "\n");
}

bool FpgaManager::is_attribute(std::string_view name) const {
  return (name.starts_with(kManager) && (name.ends_with("/firmware") || name.ends_with("/flags"))) ||
         (name.starts_with(kOverlays) && name.ends_with("/path"));
}

int FpgaManager::write(const std::string& name, std::string_view text) {
  if (name.ends_with("/firmware")) return load(std::string(text));
  if (name.ends_with("/path")) return apply(root_ + "/" + name.substr(0, name.rfind('/')), std::string(text));
  write_node(root_ + "/" + name, text);
  return 0;
}

int FpgaManager::load(const std::string& name) {
  if (!std::filesystem::exists(root_ + "/lib/firmware/" + name)) {
    set_state("firmware request error");
    return ENOENT;
  }
  set_state(load_state_);
  if (load_error_ != 0) return load_error_;
  loaded_.push_back(name + " " + text_of_file(root_ + "/" + std::string(kManager) + "flags"));
  return 0;
}

int FpgaManager::apply(const std::string& folder, const std::string& name) {
  if (!std::filesystem::exists(root_ + "/lib/firmware/" + name)) return ENOENT;
  const auto overlays = std::filesystem::directory_iterator(root_ + "/" + std::string(kOverlays));
  if (std::distance(begin(overlays), end(overlays)) > 1) return EINVAL;  // the region has an overlay
  if (!bitstream_of_overlays_.empty())
    if (const int error = load(bitstream_of_overlays_)) return error;
  write_node(folder + "/status", "applied\n");
  return 0;
}

bool FpgaManager::is_overlay(std::string_view path) const {
  return path.starts_with(root_ + "/" + std::string(kOverlays));
}

void FpgaManager::create_overlay(std::string_view path) const {
  if (!is_overlay(path)) return;
  write_node(std::string(path) + "/path", "");
  write_node(std::string(path) + "/status", "unapplied\n");
}

bool FpgaManager::remove_overlay(std::string_view path) const {
  if (!is_overlay(path)) return false;
  std::filesystem::remove_all(path);
  return true;
}

}  // namespace nestrt::boards
