// SPDX-License-Identifier: Apache-2.0
#include "test/boards/xclbin/recipe.h"

#include <xclbin.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

namespace nestrt::boards {
namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  INFO(file.string());
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Parses a number, which xclbinutil stores as text.
uint64_t number(const nlohmann::json& entry, const char* key) {
  return std::stoull(entry.at(key).get<std::string>(), nullptr, 0);
}

// Returns the entries of a section. Checks their number against the file's m_count.
std::vector<nlohmann::json> entries_of(const std::filesystem::path& file, const char* section, const char* list) {
  const nlohmann::json content = nlohmann::json::parse(read_text(file)).at(section);
  std::vector<nlohmann::json> entries = content.at(list);
  CHECK(number(content, "m_count") == entries.size());
  return entries;
}

std::vector<ip_data> read_ip_layout(const std::filesystem::path& file) {
  std::vector<ip_data> result;
  for (const nlohmann::json& entry : entries_of(file, "ip_layout", "m_ip_data")) {
    REQUIRE(entry.at("m_type") == "IP_KERNEL");
    REQUIRE(entry.at("m_ip_control") == "AP_CTRL_HS");
    ip_data& ip = result.emplace_back();
    ip.m_type = IP_KERNEL;
    ip.properties = static_cast<uint32_t>(number(entry, "m_interrupt_id")) << IP_INTERRUPT_ID_SHIFT |
                    static_cast<uint32_t>(number(entry, "m_int_enable"));
    ip.m_base_address = number(entry, "m_base_address");
    copy_text(entry.at("m_name").get<std::string>(), ip.m_name);
  }
  return result;
}

std::vector<mem_data> read_mem_topology(const std::filesystem::path& file) {
  std::vector<mem_data> result;
  for (const nlohmann::json& entry : entries_of(file, "mem_topology", "m_mem_data")) {
    REQUIRE(entry.at("m_type") == "MEM_DDR4");
    mem_data& memory = result.emplace_back();
    memory.m_type = MEM_DDR4;
    memory.m_used = static_cast<uint8_t>(number(entry, "m_used"));
    memory.m_size = number(entry, "m_sizeKB");
    memory.m_base_address = number(entry, "m_base_address");
    copy_text(entry.at("m_tag").get<std::string>(), memory.m_tag);
  }
  return result;
}

std::string attribute(const std::string& element, const std::string& name) {
  std::smatch match;
  REQUIRE(std::regex_search(element, match, std::regex("\\b" + name + "=\"([^\"]*)\"")));
  return match[1];
}

}  // namespace

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

std::vector<std::byte> make_recipe_xclbin(const std::filesystem::path& folder, const std::string& shell,
                                          unsigned char id) {
  return make_xclbin(shell, id,
                     {{MEM_TOPOLOGY, memory_section(read_mem_topology(folder / "mem_topology.json"))},
                      {IP_LAYOUT, ip_section(read_ip_layout(folder / "ip_layout.json"))},
                      {EMBEDDED_METADATA, read_bytes(folder / "metadata.xml")}});
}

void set_platform(std::vector<std::byte>& xclbin, const std::string& shell) {
  axlf header;
  REQUIRE(xclbin.size() >= sizeof(header));
  std::memcpy(&header, xclbin.data(), sizeof(header));
  std::memset(header.m_header.m_platformVBNV, 0, sizeof(header.m_header.m_platformVBNV));
  copy_text(shell, header.m_header.m_platformVBNV);
  std::memcpy(xclbin.data(), &header, sizeof(header));
}

std::vector<XclbinArgument> read_kernel_arguments(const std::filesystem::path& kernel_xml) {
  const std::string text = read_text(kernel_xml);
  static const std::regex kArgument("<arg [^>]*>");
  std::vector<XclbinArgument> arguments;
  for (std::sregex_iterator it(text.begin(), text.end(), kArgument), end; it != end; ++it) {
    const std::string element = it->str();
    const auto value = [&](const char* name) {
      return static_cast<uint32_t>(std::stoul(attribute(element, name), nullptr, 0));
    };
    arguments.push_back({attribute(element, "name"), value("offset"), value("size"), value("addressQualifier") == 1});
  }
  return arguments;
}

}  // namespace nestrt::boards
