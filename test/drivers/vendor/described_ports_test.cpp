// SPDX-License-Identifier: Apache-2.0
// Tests the descriptions of ports in version 2 of the plug-in interface.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "drivers/vendor/isolation/part_codec.h"
#include "drivers/vendor/plugin_device.h"
#include "drivers/vendor/staged_program.h"
#include "test/drivers/vendor/skeleton_programs.h"

namespace nestrt::vendor::test {
namespace {

// Changes what the skeleton reports about its ports.
std::function<void(const nestrt_vendor_part& part, nestrt_vendor_program_ports& ports)> state_ports;

nestrt_vendor_status load_and_state(nestrt_vendor_device* device, const nestrt_vendor_part* part,
                                    nestrt_vendor_program** program, nestrt_vendor_program_ports* ports,
                                    nestrt_vendor_message* why) {
  const auto status = described_skeleton().load_part(device, part, program, ports, why);
  if (status == NESTRT_VENDOR_OK) state_ports(*part, *ports);
  return status;
}

std::shared_ptr<PluginDevice> stating_device() {
  nestrt_vendor_functions functions = described_skeleton();
  functions.load_part = load_and_state;
  return *PluginDevice::open(*make_plugin("npu.so", &functions), 0);
}

struct alignas(64) TwoInputs {
  TwoInputs() { std::ranges::copy(skeleton_blob(2, 2, 24), words); }
  uint32_t words[4];
};

PortSpec port(const char* name) {
  PortSpec spec{24, name, DataType::kF32, Shape{1, 2, 3, 1}};
  spec.scales = {0.5f};
  spec.zero_points = {3};
  return spec;
}

Part two_inputs() {
  static const TwoInputs kBlob;
  return {std::as_bytes(std::span(kBlob.words)), {port("left"), port("right")}, {port("sum"), port("mean")}, {}};
}

std::string rejection(const std::function<void(nestrt_vendor_program_ports&)>& change) {
  state_ports = [&](const nestrt_vendor_part& part, nestrt_vendor_program_ports& ports) {
    std::copy_n(part.ports, part.num_inputs + part.num_outputs, ports.ports);
    change(ports);
  };
  const auto device = stating_device();
  const auto program = device->load_program(two_inputs());
  return program ? "" : std::string(program.error().message());
}

TEST_CASE("A plug-in receives names, types, shapes, scales and files of its part") {
  Part part = two_inputs();
  part.files = {{"a/model.bin", 0, 4}, {"weights", 4, 12}};
  state_ports = [&](const nestrt_vendor_part& given, nestrt_vendor_program_ports&) {
    CHECK(given.num_inputs == 2);
    CHECK(given.num_outputs == 2);
    CHECK(given.ports[1].name == std::string("right"));
    CHECK(given.ports[2].name == std::string("sum"));
    CHECK(given.ports[1].type == NESTRT_VENDOR_TYPE_F32);
    CHECK(given.ports[1].rank == 4);
    CHECK(given.ports[1].shape[2] == 3);
    CHECK(given.ports[1].num_scales == 1);
    CHECK(given.ports[1].scales[0] == 0.5f);
    CHECK(given.ports[1].zero_points[0] == 3);
    REQUIRE(given.num_files == 2);
    CHECK(given.files[1].name == std::string("weights"));
    CHECK(given.files[1].data == static_cast<const std::byte*>(given.blob) + 4);
    CHECK(given.files[1].bytes == 12);
  };
  const auto device = stating_device();
  CHECK(device->load_program(part));
}

TEST_CASE("Ports that a plug-in reports as in the plan are accepted") {
  CHECK(rejection([](nestrt_vendor_program_ports&) {}).empty());
}

TEST_CASE("Exchanged ports of equal size are rejected by their names") {
  CHECK(rejection([](nestrt_vendor_program_ports& ports) { std::swap(ports.ports[0], ports.ports[1]); }) ==
        "plug-in 'npu.so' reports the name 'right' for port 0 of its program, but the plan has 'left'");
  CHECK(rejection([](nestrt_vendor_program_ports& ports) { std::swap(ports.ports[2], ports.ports[3]); }) ==
        "plug-in 'npu.so' reports the name 'mean' for port 2 of its program, but the plan has 'sum'");
}

TEST_CASE("A port that differs from the plan is rejected with the difference") {
  CHECK_THAT(rejection([](auto& ports) { ports.ports[0].type = NESTRT_VENDOR_TYPE_S32; }),
             Catch::Contains("type and shape s32 1x2x3x1 for port 0 of its program, but the plan has f32 1x2x3x1"));
  CHECK_THAT(rejection([](auto& ports) { std::swap(ports.ports[0].shape[1], ports.ports[0].shape[2]); }),
             Catch::Contains("f32 1x3x2x1"));
  static const int32_t kZero = 0;
  CHECK_THAT(rejection([](auto& ports) { ports.ports[3].zero_points = &kZero; }),
             Catch::Contains("scale and zero point 0.5 and 0 for port 3 of its program, but the plan has 0.5 and 3"));
  CHECK_THAT(rejection([](auto& ports) { ports.ports[1].bytes = 20; }), Catch::Contains("20 bytes for port 1"));
  CHECK_THAT(rejection([](auto& ports) { ports.ports[1].rank = 9; }), Catch::Contains("9 dimensions"));
  CHECK_THAT(rejection([](auto& ports) { ports.ports[1].layout = 2; }), Catch::Contains("the unknown layout 2"));
  CHECK_THAT(rejection([](auto& ports) { ports.num_outputs = 0; }), Catch::Contains("2 inputs and 0 outputs"));
}

TEST_CASE("A plug-in that requests channels last receives and returns data in that layout") {
  state_ports = [](const nestrt_vendor_part&, nestrt_vendor_program_ports& ports) {
    ports.ports[0].layout = NESTRT_VENDOR_LAYOUT_CHANNELS_LAST;
    ports.ports[3].layout = NESTRT_VENDOR_LAYOUT_CHANNELS_LAST;
  };
  const auto device = stating_device();
  PortedProgram source;
  source.part = two_inputs();
  source.ports.assign(4, {0, 0, 24, Layout::kPlain});
  auto program = StagedProgram::load(*device, std::move(source));
  REQUIRE(program);
  float inputs[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}, outputs[2][6] = {};
  std::byte* const ports[] = {reinterpret_cast<std::byte*>(inputs[0]), reinterpret_cast<std::byte*>(inputs[1]),
                              reinterpret_cast<std::byte*>(outputs[0]), reinterpret_cast<std::byte*>(outputs[1])};
  const std::atomic<bool> stop{false};
  REQUIRE((*program)->run(ports, kNoDeadline, stop).ok());
  // Output i is a copy of input i in the plug-in's layouts.
  CHECK(std::ranges::equal(outputs[0], std::vector<float>{1, 4, 2, 5, 3, 6}));
  CHECK(std::ranges::equal(outputs[1], std::vector<float>{7, 9, 11, 8, 10, 12}));
}

TEST_CASE("The description of a part for another process is complete, and damaged ones are rejected") {
  Part part = two_inputs();
  part.inputs[1].type.reset();
  part.outputs[0].axis = 1;
  part.files = {{"a", 1, 2}};
  const std::vector<std::byte> bytes = encode_part(part);
  const auto again = decode_part(bytes, part.blob);
  REQUIRE(again);
  CHECK(encode_part(*again) == bytes);
  CHECK(again->inputs[0].name == "left");
  CHECK(again->inputs[0].shape == part.inputs[0].shape);
  CHECK_FALSE(again->inputs[1].type);
  CHECK(again->outputs[0].axis == 1);
  CHECK(again->files[0].size == 2);
  for (size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(decode_part(std::span(bytes).first(size), part.blob));
}

}  // namespace
}  // namespace nestrt::vendor::test
