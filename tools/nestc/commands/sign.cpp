// SPDX-License-Identifier: Apache-2.0
// nestc keygen and nestc sign: sign plans so that a board can verify their origin.
#include "compiler-lite/sign/sign.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "tools/nestc/command.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"

namespace nestrt::compiler {
namespace {

// Larger than any plan that can be compiled. sign_plan() checks whether the file is a plan.
constexpr uint64_t kMaxPlanBytes = uint64_t{1} << 40;

struct KeygenOptions {
  std::string name;
};

struct SignOptions {
  std::string plan;
  std::string key;
  std::string output;  // empty: replace the plan itself
};

Result<tools::ExitCode> run_keygen(const KeygenOptions& options) {
  const SecretKey key = SecretKey::generate();
  NESTRT_RETURN_IF_ERROR(write_key_pair(options.name, key));
  fmt::print("{0}.key: keep it secret; {0}.pub: copy it to the boards ({1})\n", tools::printable(options.name),
             key.public_key().to_string());
  return tools::ExitCode::kOk;
}

Result<tools::ExitCode> run_sign(const SignOptions& options) {
  const std::string& output = options.output.empty() ? options.plan : options.output;
  const std::string public_key = std::filesystem::path(options.key).replace_extension(".pub").string();
  for (const std::string& key : {options.key, public_key}) NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, key));
  NESTRT_RETURN_IF_ERROR(tools::check_writable(output, tools::Written::kPlan));
  NESTRT_ASSIGN_OR_RETURN(const SecretKey key, SecretKey::read(options.key));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(options.plan, kMaxPlanBytes));
  PlanBytes file(content.size());
  std::ranges::copy(content, file.data());
  Result<PlanBytes> result = sign_plan(file.span(), key);
  if (!result) return result.error().with_context(options.plan);
  NESTRT_RETURN_IF_ERROR(tools::write_file(output, result->span()));
  fmt::print("{}: signed with key {}\n", tools::printable(output), key.public_key().to_string());
  return tools::ExitCode::kOk;
}

}  // namespace

void add_keygen_command(tools::Cli& cli) {
  auto options = std::make_shared<KeygenOptions>();
  tools::Command app = cli.add_command("keygen", "Create a key pair for signing plans",
                                       {"nestc keygen team    # writes team.key and team.pub"},
                                       [options] { return run_keygen(*options); });
  app.add_option("name", options->name, "name of both files, without .key and .pub").required().type_name("NAME");
}

void add_sign_command(tools::Cli& cli) {
  auto options = std::make_shared<SignOptions>();
  tools::Command app =
      cli.add_command("sign", "Sign a plan, so that boards can reject unsigned plans",
                      {"nestc sign model.nest --key team.key && nestrt verify model.nest --key team.pub"},
                      [options] { return run_sign(*options); });
  app.add_option("plan", options->plan, "the plan").required().type_name("PLAN");
  app.add_option("--key", options->key, "the secret key of nestc keygen").required().type_name("FILE");
  app.add_option("-o,--output", options->output, "the signed plan; by default it replaces the plan").type_name("FILE");
}

}  // namespace nestrt::compiler
