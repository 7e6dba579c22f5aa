// reference-run PROGRAM INPUT OUTPUT: the vendor's program without nestrt. INPUT and OUTPUT are the bytes of f32
// tensors, one behind the other; a .npy file will do for one input: what it begins with is left out.
#include <cstdio>
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
  const auto elements = [&](const std::vector<uint32_t>& tensors) {
    size_t sum = 0;
    for (const uint32_t tensor : tensors) sum += engine.program().tensors[tensor].elements();
    return sum;
  };
  std::vector<float> x(elements(engine.program().inputs)), y(elements(engine.program().outputs));
  if (given.size() < x.size() * sizeof(float)) throw std::runtime_error("the input is too short");
  given.copy(reinterpret_cast<char*>(x.data()), x.size() * sizeof(float), given.size() - x.size() * sizeof(float));
  std::vector<const float*> inputs;
  std::vector<float*> outputs;
  const float* from = x.data();
  float* to = y.data();
  for (const uint32_t tensor : engine.program().inputs) {
    inputs.push_back(from);
    from += engine.program().tensors[tensor].elements();
  }
  for (const uint32_t tensor : engine.program().outputs) {
    outputs.push_back(to);
    to += engine.program().tensors[tensor].elements();
  }
  engine.run(inputs, outputs, [] { return true; });
  std::ofstream(output, std::ios::binary)
      .write(reinterpret_cast<const char*>(y.data()), static_cast<std::streamsize>(y.size() * sizeof(float)));
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
