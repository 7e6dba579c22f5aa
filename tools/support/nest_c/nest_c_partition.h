// SPDX-License-Identifier: Apache-2.0
// NEST-C partition plans: which operators run together, on which backend, and which partitions run concurrently.
//
//   funcName: 'squeezenet'
//   numOfPartitions: 4
//   backendNames: 'CPU:VTA-0:VTA-1:CPU'                   by partition
//   partitionNames: 'p0:p1:p2:p3'
//   nodeToPartition: 'conv1-0:expand1-1:expand3-2:concat-3'  name and position of the partition
//   logicalIDs: '0:1:2:0'
//   parallelPartitions: '(p1||p2)'                        groups, with ':' between them
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"

namespace nestrt::tools {

struct NestCPartition {
  std::string name;
  std::string backend;
  uint32_t logical_id = 0;
};

struct NestCPartitionPlan {
  std::string function;
  std::vector<NestCPartition> partitions;
  std::vector<std::pair<std::string, uint32_t>> nodes;  // with the index of the partition
  std::vector<std::vector<uint32_t>> groups;            // indices of partitions that run concurrently

  std::string to_yaml() const;
};

// Errors: kInvalidArgument with the line and the problem; kNotFound, kIo.
Result<NestCPartitionPlan> parse_nest_c_partition(const std::string& text, std::string_view name);
Result<NestCPartitionPlan> read_nest_c_partition(const std::string& path);

// Removes the characters that separate names in these files.
std::string nest_c_name(std::string_view name);
// Returns a distinct name for each operator.
std::vector<std::string> nest_c_names(const std::vector<std::string>& operators);
std::vector<std::string> nest_c_node_names(const plan::Tables& plan);
// Returns "CPU", "VTA-1" ... for the `instance`th unit of a kind.
std::string nest_c_backend(std::string_view kind, uint32_t instance = 0);

}  // namespace nestrt::tools
