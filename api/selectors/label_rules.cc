// SPDX-License-Identifier: Apache-2.0
// The rules are built in label_selector.cc, which has the requirements.
#include "api/selectors/label_rules.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

namespace dray::api::inline selectors {

std::optional<int64_t> ReadInt64(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LabelRules::Rule::Accepts(std::string_view value) const {
  if (must_be_absent) return false;
  if (among.has_value() && !std::ranges::binary_search(*among, value)) return false;
  if (std::ranges::binary_search(not_among, value)) return false;
  if (!above.has_value() && !below.has_value()) return true;
  const std::optional<int64_t> number = ReadInt64(value);
  return number.has_value() && (!above.has_value() || *number > *above) &&
         (!below.has_value() || *number < *below);
}

const LabelRules::Rule* LabelRules::Find(std::string_view key) const {
  const auto found = std::ranges::lower_bound(rules_, key, {}, &Rule::key);
  return found == rules_.end() || found->key != key ? nullptr : &*found;
}

bool LabelRules::Match(const Map<std::string>& labels) const {
  size_t found = 0;
  if (labels.size() <= rules_.size()) {
    if (labels.size() < needed_) return false;
    for (const auto& [key, value] : labels) {
      const Rule* const rule = Find(key);
      if (rule == nullptr) continue;
      if (!rule->Accepts(value)) return false;
      if (rule->must_be_there) ++found;
    }
    return found == needed_;
  }
  return std::ranges::all_of(rules_, [&](const Rule& rule) {
    const auto label = labels.find(rule.key);
    return label == labels.end() ? !rule.must_be_there : rule.Accepts(label->second);
  });
}

}  // namespace dray::api::inline selectors
