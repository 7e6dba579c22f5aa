// SPDX-License-Identifier: Apache-2.0
// Command-line options for image preprocessing, shared by all commands that accept images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nestrt/preprocessing.h"
#include "tools/support/text/cli.h"

namespace nestrt::tools {

class ImageFlags {
 public:
  // The object must outlive parsing.
  std::vector<Option> add_to(Command command);
  // Empty if no option is given.
  std::optional<Preprocessing> preprocessing() const;
  // Returns the preprocessing that `whose` (a plan or a profile) specifies. If it specifies none, returns that of the
  // options, or unchanged pixels without options. Options may repeat specified values. Errors: kInvalidArgument if an
  // option contradicts it.
  Result<Preprocessing> agree_with(const Preprocessing* stated, const std::string& whose) const;

 private:
  // Returns the first option that contradicts `stated`; empty if there is no contradiction.
  std::string contradiction(const Preprocessing& stated) const;

  std::vector<float> mean_;
  std::vector<float> scale_;
  uint32_t resize_ = 0;
  bool bgr_ = false;
  bool letterbox_ = false;
  std::optional<int> pad_;
  bool no_antialias_ = false;
};

// Errors: kInvalidArgument if a mean is not finite, or a scale is not finite or is 0.
Status check_factors(const Preprocessing& preprocessing);

// Returns the options, such as "--mean 128 --scale 0.015625 --resize 256"; empty for unchanged pixels.
std::string as_options(const Preprocessing& preprocessing);

// Returns whether `a` and `b` preprocess every image alike. A list of one value applies to all channels.
bool is_same(const Preprocessing& a, const Preprocessing& b);

}  // namespace nestrt::tools
