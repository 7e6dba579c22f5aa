// SPDX-License-Identifier: Apache-2.0
#include "test/boards/xclbin/xclbin_writer.h"

#include <fmt/core.h>

#include <fstream>

#include "test/boards/logic/stages.h"

namespace nestrt::boards {
namespace {

using Bytes = std::vector<std::byte>;

// Returns a structure with its count and entries. The structures of the format end in an array declared with one
// element, for any count.
template <typename Entry>
Bytes counted(const std::vector<Entry>& entries, size_t offset_of_entries) {
  Bytes bytes(offset_of_entries + entries.size() * sizeof(Entry));
  const auto count = static_cast<int32_t>(entries.size());
  std::memcpy(bytes.data(), &count, sizeof(count));
  if (!entries.empty()) std::memcpy(bytes.data() + offset_of_entries, entries.data(), entries.size() * sizeof(Entry));
  return bytes;
}

Bytes memory_topology(const XclbinDescription& description) {
  std::vector<mem_data> entries;
  for (const MemoryBank& bank : description.banks) {
    mem_data& entry = entries.emplace_back();
    entry.m_type = bank.is_hbm ? MEM_HBM : MEM_DDR4;
    entry.m_used = 1;
    entry.m_size = bank.size / 1024;
    entry.m_base_address = bank.base;
    copy_text(bank.tag, entry.m_tag);
  }
  return memory_section(entries);
}

Bytes ip_layout_of(const XclbinDescription& description) {
  std::vector<ip_data> entries;
  for (const XclbinKernel& kernel : description.kernels)
    for (const std::string& unit : kernel.units) {
      const size_t index = entries.size();
      ip_data& entry = entries.emplace_back();
      entry.m_type = IP_KERNEL;
      const IP_CONTROL control = kernel.is_user_managed ? AP_CTRL_NONE : AP_CTRL_HS;
      entry.properties = static_cast<uint32_t>(control) << IP_CONTROL_SHIFT | static_cast<uint32_t>(index) << 1 | 1;
      entry.m_base_address = kFirstUnitAddress + index * kUnitAddressRange;
      copy_text(kernel.name + ":" + unit, entry.m_name);
    }
  return ip_section(entries);
}

void connect(const XclbinKernel& kernel, size_t unit, int32_t index, std::vector<connection>* entries) {
  if (unit >= kernel.banks.size()) return;
  const std::vector<int>& banks = kernel.banks[unit];
  size_t next = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].is_address && !banks.empty())
      entries->push_back({static_cast<int32_t>(i), index, banks[next++ % banks.size()]});
}

Bytes connectivity_of(const XclbinDescription& description) {
  std::vector<connection> entries;
  int32_t index = 0;
  for (const XclbinKernel& kernel : description.kernels)
    for (size_t unit = 0; unit < kernel.units.size(); ++unit) connect(kernel, unit, index++, &entries);
  return counted(entries, offsetof(connectivity, m_connection));
}

std::string kernel_metadata(const XclbinKernel& kernel) {
  std::string xml = fmt::format(
      R"(<kernel name="{}" language="c" type="pl"><port name="S_AXI_CONTROL" mode="slave" range="{:#x}" )"
      R"(dataWidth="32" portType="addressable" base="0x0"/><port name="M_AXI" mode="master" range="0xFFFFFFFF" )"
      R"(dataWidth="64" portType="addressable" base="0x0"/>)",
      kernel.name, kernel.is_user_managed ? kRegisterBytes : kRegisterBytes / kNumStages);
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const XclbinArgument& argument = kernel.arguments[i];
    xml += fmt::format(
        R"(<arg name="{}" addressQualifier="{}" id="{}" port="{}" size="{:#x}" offset="{:#x}" hostOffset="0x0" )"
        R"(hostSize="{:#x}" type="{}"/>)",
        argument.name, argument.is_address ? 1 : 0, i, argument.is_address ? "M_AXI" : "S_AXI_CONTROL", argument.size,
        argument.offset, argument.size, argument.is_address ? "void*" : "uint");
  }
  for (const std::string& unit : kernel.units) xml += fmt::format(R"(<instance name="{}"/>)", unit);
  return xml + "</kernel>";
}

Bytes metadata_of(const XclbinDescription& description) {
  std::string xml =
      R"(<?xml version="1.0" encoding="UTF-8"?><project name="evta"><platform vendor="" boardid="" name="")"
      R"( featureRomTime="0"><device name="fpga0" fpgaDevice=""><core name="OCL_REGION_0" target="hw">)"
      R"(<kernelClocks><clock port="KERNEL_CLK" frequency="200MHz"/></kernelClocks>)";
  for (const XclbinKernel& kernel : description.kernels) xml += kernel_metadata(kernel);
  xml += "</core></device></platform></project>";
  Bytes bytes(xml.size());
  std::memcpy(bytes.data(), xml.data(), xml.size());
  return bytes;
}

constexpr size_t kAlignment = 8;
size_t aligned(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

axlf header_of(const std::string& shell, unsigned char id, size_t sections, size_t length) {
  axlf file{};
  std::memcpy(file.m_magic, "xclbin2", sizeof("xclbin2"));
  file.m_signature_length = -1;
  file.m_uniqueId = id;
  file.m_header.m_length = length;
  file.m_header.m_versionMajor = 2;
  file.m_header.m_versionMinor = 13;
  copy_text(shell, file.m_header.m_platformVBNV);
  std::memset(file.m_header.uuid, id, sizeof(file.m_header.uuid));
  file.m_header.m_numSections = static_cast<uint32_t>(sections);
  return file;
}

}  // namespace

XclbinKernel vta_kernel(std::vector<std::string> units, std::vector<std::vector<int>> banks) {
  XclbinKernel kernel{"vta", std::move(units), {{"insn_count", 0x10, 4, false}}, std::move(banks)};
  uint32_t offset = 0x18;
  for (const char* name : {"insns", "uops", "inputs", "weights", "biases", "outputs"}) {
    kernel.arguments.push_back({name, offset, 8, true});
    offset += 12;
  }
  return kernel;
}

std::vector<XclbinKernel> vta_stages() {
  return {
      {"fetch", {"fetch_0"}, {{"insn_count", 0x10, 4, false}, {"insns", 0x18, 4, false}}, {}},
      {"load", {"load_0"}, {{"inputs", 0x10, 4, false}, {"weights", 0x18, 4, false}}, {}},
      {"compute", {"compute_0"}, {{"done", 0x10, 4, false}, {"uops", 0x20, 4, false}, {"biases", 0x28, 4, false}}, {}},
      {"store", {"store_0"}, {{"outputs", 0x10, 4, false}}, {}},
  };
}

XclbinKernel user_managed_vta(std::vector<std::string> units, std::vector<std::vector<int>> banks) {
  return {"vta",
          std::move(units),
          {{"insn_count", 0x10, 4, false},
           {"insns", 0x18, 8, true},
           {"inputs", 0x1010, 8, true},
           {"weights", 0x101c, 8, true},
           {"uops", 0x2020, 8, true},
           {"biases", 0x202c, 8, true},
           {"outputs", 0x3010, 8, true}},
          std::move(banks),
          true};
}

std::vector<std::byte> ip_section(const std::vector<ip_data>& entries) {
  return counted(entries, offsetof(ip_layout, m_ip_data));
}

std::vector<std::byte> memory_section(const std::vector<mem_data>& entries) {
  return counted(entries, offsetof(mem_topology, m_mem_data));
}

std::vector<std::byte> make_xclbin(const std::string& shell, unsigned char id,
                                   const std::vector<XclbinSection>& sections) {
  size_t length = aligned(sizeof(axlf) + (sections.size() - 1) * sizeof(axlf_section_header));
  Bytes file;
  std::vector<axlf_section_header> headers;
  for (const XclbinSection& section : sections) {
    axlf_section_header& header = headers.emplace_back();
    header.m_sectionKind = section.kind;
    header.m_sectionOffset = length;
    header.m_sectionSize = section.bytes.size();
    length = aligned(length + section.bytes.size());
  }
  file.resize(length);
  const axlf header = header_of(shell, id, sections.size(), length);
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + offsetof(axlf, m_sections), headers.data(), headers.size() * sizeof(axlf_section_header));
  for (size_t i = 0; i < sections.size(); ++i)
    std::memcpy(file.data() + headers[i].m_sectionOffset, sections[i].bytes.data(), sections[i].bytes.size());
  return file;
}

std::vector<std::byte> make_xclbin(const XclbinDescription& description) {
  return make_xclbin(description.shell, description.id,
                     {{MEM_TOPOLOGY, memory_topology(description)},
                      {IP_LAYOUT, ip_layout_of(description)},
                      {CONNECTIVITY, connectivity_of(description)},
                      {EMBEDDED_METADATA, metadata_of(description)}});
}

std::span<const std::byte> find_section(std::span<const std::byte> file, axlf_section_kind kind) {
  axlf header;
  std::memcpy(&header, file.data(), sizeof(header));
  for (uint32_t i = 0; i < header.m_header.m_numSections; ++i) {
    axlf_section_header entry;
    std::memcpy(&entry, file.data() + offsetof(axlf, m_sections) + i * sizeof(entry), sizeof(entry));
    if (entry.m_sectionKind == static_cast<uint32_t>(kind))
      return file.subspan(entry.m_sectionOffset, entry.m_sectionSize);
  }
  return {};
}

void write_xclbin(const XclbinDescription& description, const std::filesystem::path& file) {
  const Bytes bytes = make_xclbin(description);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace nestrt::boards
