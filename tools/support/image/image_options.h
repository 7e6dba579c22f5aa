// The command-line options that say how images become a network's input; shared by every command that takes images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nestrt/preprocessing.h"
#include "tools/support/text/cli.h"

namespace nestrt::tools {

class ImageFlags {
 public:
  // Must outlive the parse.
  std::vector<Option> add_to(Command command);
  // Empty where none of them was given.
  std::optional<Preprocessing> preprocessing() const;
  // What images go through where `whose` (a plan, a profile) states `stated`: that, and where it states nothing what
  // the options say, or pixels as they are. Options may repeat what is stated.
  // Errors: kInvalidArgument where an option says something else.
  Result<Preprocessing> agree_with(const Preprocessing* stated, const std::string& whose) const;

 private:
  // The first option that says something else; empty where there is none.
  std::string contradiction(const Preprocessing& stated) const;

  std::vector<float> mean_;
  std::vector<float> scale_;
  uint32_t resize_ = 0;
  bool bgr_ = false;
  bool letterbox_ = false;
  std::optional<int> pad_;
};

// kInvalidArgument where they are no numbers to compute with: means that are not finite, scales that are not or are 0.
Status check_factors(const Preprocessing& preprocessing);

// As those options, "--mean 128 --scale 0.015625 --resize 256"; empty for pixels as they are.
std::string as_options(const Preprocessing& preprocessing);

// Whether both make the same of every image; a list of one value stands for all channels.
bool is_same(const Preprocessing& a, const Preprocessing& b);

}  // namespace nestrt::tools
