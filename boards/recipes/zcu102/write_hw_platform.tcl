# SPDX-License-Identifier: Apache-2.0
# Writes the hardware platform for PetaLinux, which VTA's script does not:
#   vivado -mode batch -source write_hw_platform.tcl -tclargs PROJECT.xpr OUTPUT.xsa
if {[llength $argv] != 2} {
  puts stderr "usage: write_hw_platform.tcl PROJECT.xpr OUTPUT.xsa"
  exit 2
}
lassign $argv project output
open_project $project
open_run impl_1
write_hw_platform -fixed -include_bit -force $output
exit
