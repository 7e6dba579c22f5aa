// SPDX-License-Identifier: Apache-2.0
// Runs boards/recipes/zcu102/build with git, make, Vivado and xclbinutil replaced by scripts, which fail if their
// arguments or files are not those of tvm-vta.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "test/support/process/temporary_folder.h"

namespace nestrt::boards {
namespace {

using Catch::Matchers::Contains;

// tvm-vta's exporter of parameters, reduced to the lines that the recipe replaces and one that it keeps.
constexpr const char* kExporter = R"(import sys
assert sys.argv[1] == "--export-tcl"
open(sys.argv[2], "w").write("""const FPGA_DEVICE xczu7ev-ffvc1156-2-e
const FPGA_BOARD None
const FPGA_BOARD_REV None
const FPGA_FREQ 333
const BUS_WIDTH 128
""")
)";

constexpr std::pair<const char*, const char*> kPrograms[] = {
    {"git", R"(#!/bin/sh
if [ "$1" = clone ]; then cp -r "$TREE" "$3"; else [ "$3" = checkout ]; fi
)"},
    {"make", R"(#!/bin/sh
[ "$*" = "-C hardware/xilinx" ] && [ -f config/vta_config.json ] && command -v python >/dev/null || exit 1
mkdir -p build/hardware/xilinx/vivado/vta/export
touch build/hardware/xilinx/vivado/vta/vta.xpr
cp build/hardware/xilinx/include/vta_config.tcl build/hardware/xilinx/vivado/vta/export/vta.bit
)"},
    {"vivado", R"(#!/bin/sh
if [ "$1" = -version ]; then echo "Vivado v$VERSION";
exit; fi
[ "$1 $2 $3 $5" = "-mode batch -source -tclargs" ] && [ -f "$4" ] && [ -f "$6" ] && touch "$7"
)"},
    {"vivado_hls", "#!/bin/sh\nexit 1\n"},
    {"xclbinutil", R"(#!/bin/sh
[ "$1 $2" = "--force --output" ] && touch "$3"
)"},
};

class Workstation {
 public:
  Workstation() {
    std::filesystem::create_directory(path("bin"));
    std::filesystem::create_directories(path("tree/config"));
    std::filesystem::create_directories(path("tree/hardware/xilinx"));
    for (const auto& [name, text] : kPrograms)
      std::filesystem::permissions(folder_.write_text(std::string("bin/") + name, text),
                                   std::filesystem::perms::owner_all);
    folder_.write_text("tree/config/zcu104_sample.json", "{}");
    folder_.write_text("tree/config/vta_config.py", kExporter);
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  // Returns the exit code of `build`. Its output is the file "output".
  int build(const std::string& arguments, const std::string& vivado = "2020.1") const {
    const std::string command = "PATH='" + path("bin") + "':/usr/bin:/bin TREE='" + path("tree") +
                                "' VERSION=" + vivado + " '" NESTRT_SOURCE_DIR "/boards/recipes/zcu102/build' " +
                                arguments + " >'" + path("output") + "' 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  const test::TemporaryFolder folder_;
};

TEST_CASE(
    "The ZCU102 recipe builds for its part, board and clock, and writes the bitstream, the platform and the xclbin") {
  const Workstation workstation;
  const int code = workstation.build("'" + workstation.path("results") + "' 150");
  CAPTURE(workstation.read("output"));
  REQUIRE(code == 0);
  // The replaced `make` copies the parameters that it finds.
  CHECK(workstation.read("results/vta.bit") ==
        "const FPGA_DEVICE xczu9eg-ffvb1156-2-e\nconst FPGA_BOARD xilinx.com:zcu102:part0\nconst FPGA_BOARD_REV 3.3\n"
        "const FPGA_FREQ 150\nconst BUS_WIDTH 128\n");
  CHECK(std::filesystem::exists(workstation.path("results/vta.xsa")));
  CHECK(std::filesystem::exists(workstation.path("results/evta.xclbin")));
}

TEST_CASE("The ZCU102 recipe states which program or version it lacks before it starts") {
  const Workstation workstation;
  const std::string results = "'" + workstation.path("results") + "'";
  CHECK(workstation.build(results, "2022.1") == 2);
  CHECK_THAT(workstation.read("output"), Contains("VTA's scripts need Vivado 2020.1"));
  std::filesystem::remove(workstation.path("bin/vivado_hls"));
  CHECK(workstation.build(results) == 2);
  CHECK_THAT(workstation.read("output"), Contains("vivado_hls is not on the PATH"));
  CHECK_FALSE(std::filesystem::exists(workstation.path("results")));
}

}  // namespace
}  // namespace nestrt::boards
