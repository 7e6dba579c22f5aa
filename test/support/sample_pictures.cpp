#include "test/support/sample_pictures.h"

#include "runtime/core/hexadecimal.h"

namespace nestrt::test {

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  from_hexadecimal(hex, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

}  // namespace nestrt::test
