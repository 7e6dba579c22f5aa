# SPDX-License-Identifier: Apache-2.0
# Packages VTA's block design as one kernel for v++:
#   vivado -mode batch -source package_kernel.tcl -tclargs IP_FOLDER OUTPUT.xo
# IP_FOLDER: the block design as an IP (ipx::package_project), without the processing system: the port S_AXI_CONTROL
# reaches the registers of the stages as kernel.xml states, and M_AXI their five masters.
if {[llength $argv] != 2} {
  puts stderr "usage: package_kernel.tcl IP_FOLDER OUTPUT.xo"
  exit 2
}
lassign $argv ip output
set recipe [file dirname [file normalize [info script]]]
package_xo -force -xo_path $output -kernel_name vta -ip_directory $ip -kernel_xml $recipe/kernel.xml \
  -ctrl_protocol user_managed
exit
