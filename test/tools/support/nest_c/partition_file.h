// SPDX-License-Identifier: Apache-2.0
// A NEST-C partition plan in which tests change one line: a fork on the CPU, two branches on EVTA, and their join.
#pragma once

#include <string>

namespace nestrt::test {

struct PartitionFile {
  std::string count = "4", backends = "CPU:VTA-0:VTA-1:CPU", names = "p0:p1:p2:p3",
              nodes = "block/fork_0-0:left_1-1:right-2:right_3-3:join-3", ids = "0:1:2:0", groups = "(p1||p2)";

  std::string text() const {
    return "---\nfuncName: diamond\nnumOfPartitions: " + count + "\nbackendNames: '" + backends +
           "'\npartitionNames: '" + names + "'\nnodeToPartition: '" + nodes + "'\nlogicalIDs: '" + ids +
           "'\nparallelPartitions: '" + groups + "'\n...\n";
  }
};

inline PartitionFile changed(std::string PartitionFile::*line, const std::string& text) {
  PartitionFile file;
  file.*line = text;
  return file;
}

// A change for which the file is rejected, and the reason.
struct PartitionDamage {
  std::string PartitionFile::*line;
  std::string text;
  std::string why;
};

}  // namespace nestrt::test
