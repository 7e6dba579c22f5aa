// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FOLDER: writes the seeds of each fuzzer to a folder named after it. This is a test case because the test
// builders that make the seeds use Catch2 checks.
#include <catch2/catch.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "test/fuzz/seeds.h"
#include "test/support/run_tests.h"

namespace nestrt::test {

SeedFolder::SeedFolder(const std::string& path) : path_(path) { std::filesystem::create_directories(path); }

void SeedFolder::add(std::span<const std::byte> content) {
  std::ofstream file(path_ + "/seed-" + std::to_string(count_++), std::ios::binary);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  REQUIRE(file.good());
}

namespace {

std::string folder;

struct Target {
  const char* name;
  void (*add_seeds)(SeedFolder& folder);
};
constexpr Target kTargets[] = {{"plan", add_plan_seeds},    {"evta_program", add_evta_program_seeds},
                               {"onnx", add_onnx_seeds},    {"yaml", add_yaml_seeds},
                               {"npy", add_npy_seeds},      {"costs", add_costs_seeds},
                               {"image", add_image_seeds},  {"c_api", add_c_api_seeds},
                               {"tflite", add_tflite_seeds}};

TEST_CASE("Write the seeds of all fuzz targets") {
  for (const Target& target : kTargets) {
    SeedFolder seeds(folder + "/" + target.name);
    target.add_seeds(seeds);
  }
}

}  // namespace
}  // namespace nestrt::test

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("fuzz_seeds FOLDER: writes the seeds of every fuzzer\n", stderr);
    return 2;
  }
  nestrt::test::folder = arguments[1];
  return nestrt::test::run_tests(1, arguments);
}
