#include "tools/common/json.h"

#include "tools/common/files.h"

namespace nestrt::tools {

Status write_json(const std::string& path, const Json& json) {
  return write_text(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace nestrt::tools
