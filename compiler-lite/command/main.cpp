// nestc: the offline compiler.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "compiler-lite/command/command.h"
#include "compiler-lite/emit/version.h"

int main(int argc, char** argv) {
  CLI::App app("nestc: compiles ONNX networks into plans for nestrt");
  app.set_version_flag("--version", std::string("nestc ") + nestrt::compiler::kVersion);
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  nestc compile model.onnx -o model.nest\n"
             "  nestc inspect model.nest\n"
             "Every command has its own --help.");
  int exit_code = 0;
  nestrt::compiler::add_compile_command(app, &exit_code);
  nestrt::compiler::add_inspect_command(app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::bad_alloc&) {
    std::fputs("nestc: out of memory: the model needs more than this machine has\n", stderr);
    return 2;
  }
  return exit_code;
}
