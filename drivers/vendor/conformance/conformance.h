// The conformance suite of plug-ins: what nestrt/vendor.h asks for, case by case, on a program of the vendor's own. For
// `nestrt conformance`, and for the tests, which show that each case catches what it is for.
//
// A plug-in runs in this process: one that writes where it should not may end it instead of failing its case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/vendor/plugin.h"

namespace nestrt::vendor {

// A program that the plug-in's compiler has made. What it computes is not known; that it is the same each time is.
struct ConformanceProgram {
  std::span<const std::byte> blob;  // aligned to 64
  std::vector<uint64_t> input_bytes, output_bytes;
};

struct ConformanceCase {
  std::string_view name;  // a statement, which holds of a plug-in that conforms
  Status (*test)(const std::shared_ptr<const Plugin>& plugin, const ConformanceProgram& program);
};

std::span<const ConformanceCase> conformance_cases();

struct ConformanceResult {
  std::string_view name;
  Status status;
};

// Every case on a device of its own, with random inputs. `done` is told of each as it ends.
std::vector<ConformanceResult> run_conformance(const std::shared_ptr<const Plugin>& plugin,
                                               const ConformanceProgram& program,
                                               const std::function<void(const ConformanceResult&)>& done = {});

}  // namespace nestrt::vendor
