// SPDX-License-Identifier: Apache-2.0
// Results of complete RTL designs of VTA: the vectors and tables of shared/data/rtl.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drivers/evta/simulator/vector_file.h"

namespace nestrt::evta::test {

struct RtlVector {
  VectorCase program;
  std::map<std::string, uint64_t> measured;  // key: column of the table
};

// Reads shared/data/rtl/<name>.bin and .tsv. If they are missing, returns nullopt and the test case counts as skipped.
std::optional<std::vector<RtlVector>> rtl_vectors(const std::string& name);

// Programs of whole layers, by network.
inline constexpr const char* kRtlNetworks[] = {"programs_ad01_autoencoder", "programs_mobilenet_v1_0.25_128",
                                               "programs_nest_squeeze", "programs_resnet18_convolutions",
                                               "programs_resnet20"};

}  // namespace nestrt::evta::test
