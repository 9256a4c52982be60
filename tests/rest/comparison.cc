// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/comparison.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "tests/rest/openapi.h"
#include "tests/vectors/case_files.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

constexpr size_t kShownDifferencesMax = 200;

/// Messages that libraries of a language make, and values as a language prints them.
bool IsFreeText(std::string_view text) {
  static const re2::RE2 kFree(
      R"(updates may not change fields other than|pkg/runtime/scheme\.go|strconv\.|json: cannot )"
      R"(unmarshal|yaml:|json parse error|ERROR: <input>|looking for beginning of value|illegal )"
      R"(base64|cannot be handled as|Invalid value: \\?"(map\[|&|\{\[))");
  return re2::RE2::PartialMatch(text, kFree);
}

bool IsColumnText(std::string_view place) {
  static const re2::RE2 kColumn(R"((/object)?/columnDefinitions/\d+/description)");
  return re2::RE2::FullMatch(place, kColumn);
}

bool IsAge(std::string_view place, std::string_view text) {
  static const re2::RE2 kCell(R"((/object)?/rows/\d+/cells/\d+)");
  static const re2::RE2 kAge(R"(\d+[smhd](\d+[smhd])?)");
  return re2::RE2::FullMatch(place, kCell) && re2::RE2::FullMatch(text, kAge);
}

/// Descriptions of the system's own objects, which have other texts here.
bool IsOwnDescription(std::string_view place, std::string_view text) {
  return place.ends_with("/description") && text.starts_with("Used for system critical pods that ");
}

/// `text` without the uids and versions in it.
std::string WithoutUids(std::string text) {
  static const re2::RE2 kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const re2::RE2 kTooOld(R"(too old resource version: \d+ \(\d+\))");
  re2::RE2::GlobalReplace(&text, kUid, "~");
  re2::RE2::GlobalReplace(&text, kTooOld, "too old resource version: ~");
  return text;
}

bool IsTime(std::string_view text) {
  static const re2::RE2 kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
  return re2::RE2::FullMatch(text, kTime);
}

std::string Shown(const json::value& value) {
  return json::serialize(value).substr(0, kShownDifferencesMax);
}

std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void ReplaceAll(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

std::string LastOf(std::string_view place) {
  return std::string(place.substr(std::min(place.rfind('/') + 1, place.size())));
}

class Comparer {
 public:
  explicit Comparer(const Freedom& freedom) : freedom_(freedom) {}

  void Compare(const json::value& a, const json::value& b, const std::string& place) {
    if (freedom_.pointers.contains(place) || IsMark(a, b, place)) {
      if (a.kind() != b.kind()) Report(place, "another type: " + Shown(b));
    } else if (a.is_object() && b.is_object()) {
      CompareObjects(a.get_object(), b.get_object(), place);
    } else if (a.is_array() && b.is_array()) {
      CompareLists(a.get_array(), b.get_array(), place);
    } else if (a.is_string() && b.is_string()) {
      CompareTexts(std::string(a.get_string()), std::string(b.get_string()), place);
    } else if (a != b) {
      Report(place, fmt::format("{}, expected {}", Shown(b), Shown(a)));
    }
  }

  std::vector<std::string> Take() { return std::move(reported_); }

 private:
  void Report(const std::string& place, std::string_view what) {
    if (reported_.size() < kDifferencesMax) reported_.push_back(fmt::format("{}: {}", place, what));
  }

  bool IsMark(const json::value& a, const json::value& b, const std::string& place) const {
    if (!freedom_.marks_nothing || !a.is_string() || !b.is_string()) return false;
    const std::string name = LastOf(place);
    return name == "uid" || name == "resourceVersion" || name == "continue" ||
           (IsTime(a.get_string()) && IsTime(b.get_string()));
  }

  void CompareObjects(const json::object& a, const json::object& b, const std::string& place) {
    for (const auto& [name, value] : a) {
      const std::string below = fmt::format("{}/{}", place, Escaped(name));
      if (const json::value* found = b.if_contains(name)) {
        Compare(value, *found, below);
      } else {
        Report(below, "missing");
      }
    }
    for (const auto& [name, value] : b) {
      if (!a.contains(name)) {
        Report(fmt::format("{}/{}", place, Escaped(name)), "more than expected: " + Shown(value));
      }
    }
  }

  void CompareLists(const json::array& a, const json::array& b, const std::string& place) {
    if (a.size() != b.size()) {
      Report(place, fmt::format("{} elements, expected {}", b.size(), a.size()));
      return;
    }
    // Free parts are named by their places in the recording.
    const std::vector<size_t> wanted = OrderOf(place, a);
    const std::vector<size_t> found = OrderOf(place, b);
    for (size_t i = 0; i < a.size(); ++i) {
      Compare(a[wanted[i]], b[found[i]], fmt::format("{}/{}", place, wanted[i]));
    }
  }

  /// The places of the elements, sorted where their order is free.
  static std::vector<size_t> OrderOf(const std::string& place, const json::array& list) {
    std::vector<std::pair<std::string, size_t>> keys;
    for (size_t i = 0; i < list.size(); ++i) keys.emplace_back(KeyOf(place, list[i]), i);
    std::ranges::sort(keys);
    std::vector<size_t> order;
    for (const auto& [key, index] : keys) order.push_back(index);
    return order;
  }

  /// By which elements are sorted; the same for all where their order counts.
  static std::string KeyOf(const std::string& place, const json::value& one) {
    if (!one.is_object()) return {};
    const json::object& element = one.get_object();
    if (place.ends_with("/causes")) {
      return fmt::format("{}\n{}", TextOf(element, "field"), TextOf(element, "message"));
    }
    if (place.ends_with("/managedFields")) {
      return fmt::format("{}\n{}\n{}\n{}",
                         TextOf(element, "operation"),
                         TextOf(element, "manager"),
                         TextOf(element, "apiVersion"),
                         TextOf(element, "subresource"));
    }
    const bool is_rules = place == "/status/resourceRules" || place == "/status/nonResourceRules";
    return is_rules ? json::serialize(one) : std::string();
  }

  void CompareTexts(std::string a, std::string b, const std::string& place) {
    for (auto [at, end] = freedom_.patterns.equal_range(place); at != end; ++at) {
      const re2::RE2 pattern(at->second);
      re2::RE2::GlobalReplace(&a, pattern, "~");
      re2::RE2::GlobalReplace(&b, pattern, "~");
    }
    if (a == b || (IsAge(place, a) && IsAge(place, b))) return;
    if (freedom_.marks_nothing && WithoutUids(a) == WithoutUids(b)) return;
    if (place == "/status/reason" && a.starts_with("RBAC: allowed by")) return;
    if (IsColumnText(place) && a.empty() == b.empty()) return;
    const bool are_tokens = a.starts_with("eyJ") && b.starts_with("eyJ");
    if (are_tokens && place.ends_with("/token")) return;
    if (IsOwnDescription(place, a) && !b.empty()) return;
    if (place.ends_with("message") && IsFreeText(a)) return;
    Report(place,
           fmt::format("'{}', expected '{}'",
                       b.substr(0, kShownDifferencesMax),
                       a.substr(0, kShownDifferencesMax)));
  }

  const Freedom& freedom_;
  std::vector<std::string> reported_;
};

/// The order of several errors is free, and with it the message that joins them.
void FreeJoinedMessage(const json::value& answer, const std::string& place, Freedom& freedom) {
  const json::object* object = answer.if_object();
  if (object == nullptr || TextOf(*object, "kind") != "Status") return;
  const json::value* details = object->if_contains("details");
  if (details == nullptr || !details->is_object()) return;
  if (ListOf(details->get_object(), "causes").size() > 1) {
    freedom.pointers.insert(place + "/message");
  }
}

const json::value* At(const json::value& document, const std::string& pointer) {
  boost::system::error_code failed;
  return document.find_pointer(pointer, failed);
}

}  // namespace

void Chosen::Bind(const std::string& variable,
                  const std::string& recorded,
                  const std::string& now) {
  constexpr size_t kTooShortToReplace = 3;  // such a text may mean anything
  variables_[variable] = now;
  if (recorded.size() > kTooShortToReplace) now_[recorded] = now;
}

std::string Chosen::Fill(std::string_view text) const {
  std::string filled;
  while (true) {
    const size_t begin = text.find("${");
    const size_t end = text.find('}', begin == std::string_view::npos ? 0 : begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
    filled += text.substr(0, begin);
    if (is_name) {
      const auto found = variables_.find(name);
      filled += found == variables_.end() ? "unbound" : found->second;
    } else {
      filled += text.substr(begin, end + 1 - begin);
    }
    text.remove_prefix(end + 1);
  }
  return filled.append(text);
}

std::string Chosen::Now(std::string text) const {
  for (const auto& [recorded, now] : now_) {
    const bool is_number =
        std::ranges::all_of(recorded, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number) {
      ReplaceAll(text, fmt::format("\"{}\"", recorded), fmt::format("\"{}\"", now));
    } else {
      ReplaceAll(text, recorded, now);
    }
  }
  return text;
}

std::string Chosen::NowByVersion(std::string text) const {
  for (const auto& [recorded, now] : versions_) {
    ReplaceAll(text, fmt::format("\"{}\"", recorded), fmt::format("\"{}\"", now));
  }
  return text;
}

bool Chosen::AgreesOnVersion(const std::string& recorded, const std::string& now) {
  const auto forth = versions_.try_emplace(recorded, now).first;
  const auto back = versions_back_.try_emplace(now, recorded).first;
  return forth->second == now && back->second == recorded;
}

Freedom Freedom::Of(const json::object& entry) {
  Freedom freedom;
  for (const json::value& pointer : ListOf(entry, "volatile")) {
    freedom.pointers.emplace(pointer.as_string());
  }
  for (const json::value& pattern : ListOf(entry, "patterns")) {
    const json::object& one = pattern.as_object();
    freedom.patterns.emplace(TextOf(one, "pointer"), TextOf(one, "regex"));
  }
  return freedom;
}

std::vector<std::string> Differences(const json::value& expected,
                                     const json::value& got,
                                     const Freedom& freedom) {
  if (IsOpenApi(expected) && got.is_object()) {
    return OpenApiDifferences(expected.get_object(), got.get_object());
  }
  Freedom wider = freedom;
  FreeJoinedMessage(expected, "", wider);
  if (const json::value* object = At(expected, "/object")) {
    FreeJoinedMessage(*object, "/object", wider);
  }
  Comparer comparer(wider);
  comparer.Compare(expected, got, "");
  return comparer.Take();
}

std::vector<std::string> VersionDifferences(const json::value& recorded,
                                            const json::value& got,
                                            const Freedom& freedom,
                                            Chosen& chosen) {
  constexpr std::string_view kVersion = "/metadata/resourceVersion";
  std::vector<std::string> reported;
  const json::object* whole = recorded.if_object();
  const bool is_bookmark = whole != nullptr && TextOf(*whole, "type") == "BOOKMARK";
  for (const std::string& pointer : freedom.pointers) {
    if (!pointer.ends_with(kVersion) || is_bookmark) continue;
    const std::string owner = pointer.substr(0, pointer.size() - kVersion.size());
    const json::value* object = At(recorded, owner);
    const json::value* before = At(recorded, pointer);
    const json::value* now = At(got, pointer);
    if (object == nullptr || before == nullptr || now == nullptr) continue;
    // Where a list stands is not known from writes of this scenario alone.
    const std::string_view kind = TextOf(object->as_object(), "kind");
    if (kind.ends_with("List") || kind == "Table") continue;
    if (!before->is_string() || !now->is_string()) continue;
    if (!chosen.AgreesOnVersion(std::string(before->get_string()),
                                std::string(now->get_string()))) {
      reported.push_back(fmt::format("{}: {} where {} was recorded: another write is told apart",
                                     pointer,
                                     Shown(*now),
                                     Shown(*before)));
    }
  }
  return reported;
}

}  // namespace dray::rest
