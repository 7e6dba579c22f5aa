// SPDX-License-Identifier: Apache-2.0
// FpgaManager: emulates the FPGA manager and the overlays of Xilinx's Linux in a tree of files.
//
// Threads: not safe.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

namespace nestrt::boards {

class FpgaManager {
 public:
  explicit FpgaManager(std::string root) : root_(std::move(root)) {}

  // Writes the files of /sys. `state`: of the fabric.
  void write_nodes(const std::string& state);
  // Makes loads fail with `error`, or succeed without an effect if it is 0, and leave the manager in `state`.
  void end_loads_with(int error, std::string state);
  // The bitstream that an overlay names; empty if it names none.
  void set_bitstream_of_overlays(std::string name) { bitstream_of_overlays_ = std::move(name); }
  // Returns the loaded bitstreams, and the values that the flags had.
  const std::vector<std::string>& loaded() const { return loaded_; }
  std::string state() const;

  // --- For the board and the interposer.
  // `name`: a path below the root.
  bool is_attribute(std::string_view name) const;
  // Returns 0 or an errno.
  int write(const std::string& name, std::string_view text);
  // Adds the attributes to a new folder of an overlay. Ignores other folders.
  void create_overlay(std::string_view path) const;
  // Returns false if `path` is not the folder of an overlay.
  bool remove_overlay(std::string_view path) const;

 private:
  bool is_overlay(std::string_view path) const;
  void set_state(const std::string& state) const;
  int load(const std::string& name);
  int apply(const std::string& folder, const std::string& name);

  const std::string root_;
  std::string bitstream_of_overlays_ = "evta.bit.bin";
  std::vector<std::string> loaded_;
  int load_error_ = 0;
  std::string load_state_ = "operating";
};

}  // namespace nestrt::boards
