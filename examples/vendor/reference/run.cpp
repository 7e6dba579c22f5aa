// SPDX-License-Identifier: Apache-2.0
// reference-run PROGRAM INPUT OUTPUT: runs the vendor's program without nestrt. INPUT and OUTPUT contain the bytes of
// the tensors in sequence. For one input, a .npy file also works; its header is skipped. Prints the processor time in
// milliseconds.
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine.h"

namespace {

std::string content(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const char* program, const char* input, const char* output) {
  const std::string blob = content(program), given = content(input);
  reference::Engine engine(reference::read_program(blob.data(), blob.size()));
  const auto bytes = [&](const std::vector<uint32_t>& tensors) {
    size_t sum = 0;
    for (const uint32_t tensor : tensors) sum += engine.program().tensors[tensor].bytes();
    return sum;
  };
  const size_t size = bytes(engine.program().inputs);
  if (given.size() < size) throw std::runtime_error("the input is too short");
  std::string x = given.substr(given.size() - size), y(bytes(engine.program().outputs), '\0');
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  const char* from = x.data();
  char* to = y.data();
  for (const uint32_t tensor : engine.program().inputs) {
    inputs.push_back(from);
    from += engine.program().tensors[tensor].bytes();
  }
  for (const uint32_t tensor : engine.program().outputs) {
    outputs.push_back(to);
    to += engine.program().tensors[tensor].bytes();
  }
  const std::clock_t start = std::clock();
  engine.run(inputs, outputs, [] { return true; });
  std::printf("%.3f ms\n", 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  std::ofstream(output, std::ios::binary) << y;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "reference-run: expected PROGRAM INPUT OUTPUT\n");
    return 1;
  }
  try {
    run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reference-run: %s\n", error.what());
    return 1;
  }
  return 0;
}
