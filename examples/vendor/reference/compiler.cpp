// SPDX-License-Identifier: Apache-2.0
// reference-cc MODEL.onnx -o PROGRAM: the reference vendor's compiler.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "check.h"
#include "lower.h"

namespace {

int fail(const std::string& what) {
  std::fprintf(stderr, "reference-cc: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || std::string(argv[2]) != "-o") return fail("expected MODEL.onnx -o PROGRAM");
  std::ifstream model(argv[1], std::ios::binary);
  if (!model) return fail(std::string("cannot read ") + argv[1]);
  try {
    const reference::Program program = reference::lower({std::istreambuf_iterator<char>(model), {}});
    reference::check_program(program);
    const std::string bytes = reference::write_program(program);
    std::ofstream output(argv[3], std::ios::binary);
    output.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!output.flush()) return fail(std::string("cannot write ") + argv[3]);
    std::printf("%zu operators, %zu bytes\n", program.operators.size(), bytes.size());
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  return 0;
}
