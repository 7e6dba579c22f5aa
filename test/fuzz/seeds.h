// SPDX-License-Identifier: Apache-2.0
// Seeds of the fuzzers: small inputs of every kind, made on demand.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nestrt::test {

// A folder for the seeds of one target.
class SeedFolder {
 public:
  explicit SeedFolder(const std::string& path);
  // Adds a file with a unique name.
  void add(std::span<const std::byte> content);
  void add(std::string_view content) { add(std::as_bytes(std::span(content))); }

 private:
  std::string path_;
  int count_ = 0;
};

void add_plan_seeds(SeedFolder& folder);
void add_evta_program_seeds(SeedFolder& folder);
void add_onnx_seeds(SeedFolder& folder);
void add_yaml_seeds(SeedFolder& folder);
void add_npy_seeds(SeedFolder& folder);
void add_costs_seeds(SeedFolder& folder);
void add_image_seeds(SeedFolder& folder);
void add_c_api_seeds(SeedFolder& folder);
void add_tflite_seeds(SeedFolder& folder);

}  // namespace nestrt::test
