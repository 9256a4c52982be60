// SPDX-License-Identifier: Apache-2.0
#include "cli/store_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "cli/allocate.h"

namespace dray::cli {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted;
  api::QuoteJson(text, quoted);
  return quoted;
}

}  // namespace

std::string BytesText(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  for (; size >= kStep && unit + 1 < kUnits.size(); ++unit) size /= kStep;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

void StoreReport::AddText(std::string_view label, std::string_view member, std::string_view text) {
  facts_.push_back({.label = std::string(label),
                    .member = std::string(member),
                    .text = std::string(text),
                    .json = Quoted(text)});
}

void StoreReport::AddNumber(std::string_view label, std::string_view member, int64_t number) {
  const std::string text = std::to_string(number);
  facts_.push_back(
      {.label = std::string(label), .member = std::string(member), .text = text, .json = text});
}

void StoreReport::AddBytes(std::string_view label, std::string_view member, uint64_t bytes) {
  facts_.push_back({.label = std::string(label),
                    .member = std::string(member),
                    .text = BytesText(bytes),
                    .json = std::to_string(bytes)});
}

void StoreReport::AddFlag(std::string_view member, bool is_set) {
  facts_.push_back(
      {.label = {}, .member = std::string(member), .text = {}, .json = is_set ? "true" : "false"});
}

void StoreReport::AddTexts(std::string_view label,
                           std::string_view member,
                           const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const std::string& text : texts) {
    facts_.push_back({.label = std::string(label), .member = {}, .text = text, .json = {}});
    json += (json.size() > 1 ? "," : "") + Quoted(text);
  }
  facts_.push_back({.label = {}, .member = std::string(member), .text = {}, .json = json + "]"});
}

void StoreReport::Print(OutputFormat format, std::FILE* out) const {
  if (format != OutputFormat::kTable) {
    std::string json;
    for (const Fact& fact : facts_) {
      if (fact.member.empty()) continue;
      json += fmt::format("{}\"{}\":{}", json.empty() ? "{" : ",", fact.member, fact.json);
    }
    fmt::print(out, "{}\n", api::PrettyJson(json + "}"));
    return;
  }
  size_t width = 0;
  for (const Fact& fact : facts_) width = std::max(width, fact.label.size());
  for (const Fact& fact : facts_) {
    if (!fact.label.empty()) fmt::print(out, "{:<{}}  {}\n", fact.label, width, fact.text);
  }
}

}  // namespace dray::cli
