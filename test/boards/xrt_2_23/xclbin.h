// SPDX-License-Identifier: Apache-2.0
// The file format of an xclbin, with XRT 2.23.
#pragma once

struct axlf;
struct axlf_section_header;
enum axlf_section_kind { BITSTREAM = 0 };

namespace xclbin {

const axlf_section_header* get_axlf_section(const axlf* file, axlf_section_kind kind);

}  // namespace xclbin
