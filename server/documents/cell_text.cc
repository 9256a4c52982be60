// SPDX-License-Identifier: Apache-2.0
#include "server/documents/cell_text.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/at_path.h"
#include "api/codec/json.h"
#include "api/meta_v1/label_selector.h"
#include "api/selectors/selector_of.h"
#include "server/documents/human_duration.h"

namespace dray::server::documents {

std::string JsonCell(std::string_view text) {
  std::string out;
  api::QuoteJson(text, out);
  return out;
}

std::string AgeText(api::Time time, WallTime now) {
  if (time.IsZero()) return std::string(kUnknown);
  const auto today = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return HumanDuration(today - time.unix_seconds());
}

std::string TextOr(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

std::string Joined(std::span<const std::string> items) {
  return fmt::format("{}", fmt::join(items, ","));
}

std::string FirstOf(std::span<const std::string> items, size_t shown) {
  if (items.size() <= shown) return Joined(items);
  return fmt::format("{} + {} more...", Joined(items.first(shown)), items.size() - shown);
}

std::string SelectorText(const api::Object& object, std::string_view path) {
  if (const auto* labels = api::MapAt<std::string>(object, path)) {
    return TextOr(api::LabelsText(*labels), kNone);
  }
  const auto* selector = api::Get<api::meta_v1::LabelSelector>(object, path);
  if (selector == nullptr) return std::string(kNone);
  const Result<api::LabelSelector> parsed = api::SelectorOf(*selector);
  if (!parsed.has_value()) return "<error>";
  return TextOr(parsed->ToString(), kNone);
}

std::string TextIn(const api::Found& of, std::string_view member) {
  const api::Found found = api::AtPath(of, member);
  return found.value == nullptr ? std::string() : *static_cast<const std::string*>(found.value);
}

std::vector<std::string> TextsOf(const api::Object& object,
                                 std::string_view path,
                                 std::string_view member) {
  std::vector<std::string> texts;
  for (const api::Found& element : api::ElementsAt(object, path)) {
    const api::Found found = api::AtPath(element, member);
    if (found.value == nullptr || found.type->kind != api::TypeKind::kString) continue;
    texts.push_back(*static_cast<const std::string*>(found.value));
  }
  return texts;
}

}  // namespace dray::server::documents
