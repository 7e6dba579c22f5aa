# SPDX-License-Identifier: Apache-2.0
# Runs a recipe's Tcl script without Vivado: tclsh vivado_commands.tcl SCRIPT [ARGUMENT ...]
# The Vivado commands below check their options against Vivado's Tcl reference (UG835) and print each call on a line. Any
# other unknown command is an error, and so is a missing input file.

# Prints a call with its options sorted by name. `flags` have no value, `options` have one.
proc record {command flags options positional arguments} {
  set seen {}
  set rest {}
  while {[llength $arguments] > 0} {
    set arguments [lassign $arguments word]
    if {$word in $flags} {
      lappend seen $word
    } elseif {$word in $options} {
      if {[llength $arguments] == 0} { error "$command: $word has no value" }
      set arguments [lassign $arguments value]
      lappend seen "$word [file tail $value]"
    } elseif {[string match -* $word]} {
      error "$command: unknown option $word"
    } else {
      lappend rest $word
    }
  }
  if {[llength $rest] != $positional} { error "$command: expected $positional arguments, got [llength $rest]: $rest" }
  puts [join [concat $command [lsort $seen] $rest] " "]
}

proc open_project {args} { record open_project {-read_only -quiet -verbose} {-part} 1 $args }
proc open_run {args} { record open_run {-quiet -verbose} {-name -pr_config} 1 $args }
proc write_hw_platform {args} {
  record write_hw_platform {-fixed -force -include_bit -include_emulation -minimal -quiet -verbose} {} 1 $args
}
proc package_xo {args} {
  set xml [lindex $args [expr {[lsearch -exact $args -kernel_xml] + 1}]]
  if {![file exists $xml]} { error "package_xo: kernel_xml '$xml' does not exist" }
  record package_xo {-force -quiet -verbose} {-xo_path -kernel_name -kernel_xml -ip_directory -ctrl_protocol} 0 $args
}

set argv [lassign $argv argv0]
set argc [llength $argv]
source $argv0
