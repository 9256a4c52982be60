// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/view.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/vectors/case_files.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

const json::value* PlaceIn(const json::value& value, std::string_view pointer) {
  boost::system::error_code failed;
  return value.find_pointer(pointer, failed);
}

json::value* PlaceIn(json::value& value, std::string_view pointer) {
  boost::system::error_code failed;
  return value.find_pointer(pointer, failed);
}

// `inner` at `pointer`, in objects that have no other member.
json::value Wrapped(std::string_view pointer, json::value inner) {
  while (!pointer.empty()) {
    const size_t slash = pointer.rfind('/');
    json::object outer;
    outer.emplace(pointer.substr(slash + 1), std::move(inner));
    inner = std::move(outer);
    pointer = pointer.substr(0, slash);
  }
  return inner;
}

json::value Elements(const json::object& only, const json::value& list) {
  json::array kept;
  if (!list.is_array()) return kept;
  for (const json::value& element : list.get_array()) {
    bool is_kept = true;
    for (const auto& [pointer, value] : only) {
      if (!pointer.starts_with('/')) continue;
      const json::value* member = PlaceIn(element, pointer);
      is_kept = is_kept && member != nullptr && *member == value;
    }
    if (is_kept) kept.push_back(element);
  }
  return kept;
}

json::value Members(std::string_view prefix, const json::value& object) {
  json::object kept;
  if (!object.is_object()) return kept;
  for (const auto& [name, value] : object.get_object()) {
    if (name.starts_with(prefix)) kept.emplace(name, value);
  }
  return kept;
}

// The members to compare may stand in an object of their own.
const json::object& Wanted(const json::object& only) {
  const json::value* members = only.if_contains("members");
  if (members == nullptr) members = only.if_contains("equal");
  return members != nullptr && members->is_object() ? members->get_object() : only;
}

}  // namespace

void KeepOnly(const json::object& step, json::value& answer) {
  const json::value* described = step.if_contains("only");
  if (described == nullptr) return;
  const json::object& only = described->get_object();
  if (const json::value* keys = only.if_contains("keys"); keys != nullptr) {
    json::object kept;
    for (const auto& [pointer, prefix] : keys->as_object()) {
      const json::value* object = PlaceIn(answer, pointer);
      if (object == nullptr) continue;
      kept.emplace(std::string_view(pointer).substr(1), Members(prefix.as_string(), *object));
    }
    answer = std::move(kept);
    return;
  }
  const std::string_view pointer = TextOf(only, "pointer");
  const json::value* list = PlaceIn(answer, pointer);
  if (list != nullptr) answer = Wrapped(pointer, Elements(Wanted(only), *list));
}

void SortUnordered(const json::object& step, json::value& answer) {
  for (const json::value& one : ListOf(step, "unordered")) {
    const std::string pointer(one.as_string());
    json::value* list = PlaceIn(answer, pointer);
    if (list == nullptr || !list->is_array()) continue;
    std::set<std::string, std::less<>> free;
    for (const json::value& path : ListOf(step, "volatile")) {
      const std::string_view text = path.as_string();
      if (text.starts_with(pointer + "/")) free.emplace(text.substr(text.rfind('/') + 1));
    }
    const auto key = [&](const json::value& element) {
      json::value bare = element;
      if (bare.is_object()) {
        for (const std::string& name : free) bare.get_object().erase(name);
      }
      return json::serialize(bare);
    };
    std::vector<json::value> elements(list->get_array().begin(), list->get_array().end());
    std::ranges::sort(elements, {}, key);
    list->get_array() = json::array(elements.begin(), elements.end());
  }
}

}  // namespace dray::rest
