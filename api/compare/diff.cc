// SPDX-License-Identifier: Apache-2.0
#include "api/compare/diff.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/merge/element_identity.h"
#include "base/check.h"

namespace dray::api::inline compare {
namespace {

std::string ToText(const Type& type, const void* value) {
  std::string text;
  EncodeJson(type, value, text, {.stored = true});
  return text;
}

bool IsSameJson(const RawJson& a, const RawJson& b) {
  if (a == b || (a.IsNull() && b.IsNull())) return true;
  boost::system::error_code error;
  const boost::json::value ours = boost::json::parse(a.bytes(), error);
  if (error) return false;
  const boost::json::value theirs = boost::json::parse(b.bytes(), error);
  return !error && ours == theirs;
}

// "name=gpu-0", or "driver=d,pool=p" when several members identify; index for the rest.
std::string ElementName(const std::vector<const Field*>& identity,
                        const void* value,
                        size_t index) {
  if (identity.empty()) return std::to_string(index);
  std::string name;
  for (const Field* field : identity) {
    if (IsZero(field->type(), field->of(value))) continue;
    std::string text = ToText(field->type(), field->of(value));
    if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
    name += fmt::format("{}{}={}", name.empty() ? "" : ",", field->name, text);
  }
  return name.empty() ? std::to_string(index) : name;
}

class Differ {
 public:
  std::vector<Change> Take() { return std::move(changes_); }

  void Compare(const Type& type,
               const Facets& facets,
               const std::string& path,
               const void* before,
               const void* after) {
    if (type.kind == TypeKind::kStruct) return Members(type, path, before, after);
    if (type.kind == TypeKind::kOptional) return Optional(type, path, before, after);
    if (type.kind == TypeKind::kList) return List(type, facets, path, before, after);
    if (type.kind == TypeKind::kMap) return Map(type, path, before, after);
    const bool is_same =
        type.kind == TypeKind::kRawJson
            ? IsSameJson(*static_cast<const RawJson*>(before), *static_cast<const RawJson*>(after))
            : Equal(type, before, after);
    if (!is_same) Changed(type, path, before, after);
  }

 private:
  void Members(const Type& type, const std::string& path, const void* before, const void* after) {
    for (const Field& field : type.fields) {
      const std::string dot = path.empty() ? "" : ".";
      const std::string inner =
          field.facets.inlined ? path : fmt::format("{}{}{}", path, dot, field.name);
      Compare(field.type(), field.facets, inner, field.of(before), field.of(after));
    }
  }

  void Optional(const Type& type, const std::string& path, const void* before, const void* after) {
    const ContainerOperations& container = *type.container;
    const Type& element = type.element();
    const bool was = container.size(before) != 0;
    const bool is = container.size(after) != 0;
    if (was && is) {
      return Compare(element, {}, path, container.at(before, 0), container.at(after, 0));
    }
    if (was) Removed(element, path, container.at(before, 0));
    if (is) Added(element, path, container.at(after, 0));
  }

  void Map(const Type& type, const std::string& path, const void* before, const void* after) {
    const Type& element = type.element();
    VisitMap(type, before, [&](std::string_view key, const void* value) {
      const std::string inner = fmt::format("{}[{}]", path, key);
      const void* other = type.container->find(after, key);
      if (other == nullptr) return Removed(element, inner, value);
      Compare(element, {}, inner, value, other);
    });
    VisitMap(type, after, [&](std::string_view key, const void* value) {
      if (type.container->find(before, key) != nullptr) return;
      Added(element, fmt::format("{}[{}]", path, key), value);
    });
  }

  void List(const Type& type,
            const Facets& facets,
            const std::string& path,
            const void* before,
            const void* after) {
    const ContainerOperations& container = *type.container;
    const Type& element = type.element();
    const std::vector<const Field*> identity = IdentityOf(element, facets);
    const bool has_order = facets.list != ListKind::kMap && facets.list != ListKind::kSet;
    if (identity.empty() && has_order) return ListByIndex(type, path, before, after);
    const std::vector<ElementKey> was = KeysOf(type, facets, before);
    const std::vector<ElementKey> is = KeysOf(type, facets, after);
    std::map<ElementKey, size_t> indices;
    for (size_t i = 0; i < is.size(); ++i) indices.emplace(is[i], i);
    std::vector<size_t> places;  // in `after`, of the elements that stay
    for (size_t i = 0; i < was.size(); ++i) {
      const void* value = container.at(before, i);
      const std::string inner = fmt::format("{}[{}]", path, ElementName(identity, value, i));
      const auto found = indices.find(was[i]);
      if (found == indices.end()) {
        Removed(element, inner, value);
        continue;
      }
      places.push_back(found->second);
      Compare(element, {}, inner, value, container.at(after, found->second));
      indices.erase(found);
    }
    for (size_t i = 0; i < is.size(); ++i) {
      if (!indices.contains(is[i])) continue;
      const void* value = container.at(after, i);
      Added(element, fmt::format("{}[{}]", path, ElementName(identity, value, i)), value);
    }
    if (has_order && !std::ranges::is_sorted(places)) Moved(type, identity, path, before, after);
  }

  void ListByIndex(const Type& type,
                   const std::string& path,
                   const void* before,
                   const void* after) {
    const ContainerOperations& container = *type.container;
    const Type& element = type.element();
    const size_t was = container.size(before);
    const size_t is = container.size(after);
    for (size_t i = 0; i < std::max(was, is); ++i) {
      const std::string inner = fmt::format("{}[{}]", path, i);
      if (i >= is) {
        Removed(element, inner, container.at(before, i));
      } else if (i >= was) {
        Added(element, inner, container.at(after, i));
      } else {
        Compare(element, {}, inner, container.at(before, i), container.at(after, i));
      }
    }
  }

  // The names of a list's elements in order, to show a change of order only.
  static std::string Order(const Type& type,
                           const std::vector<const Field*>& identity,
                           const void* value) {
    std::string order;
    for (size_t i = 0; i < type.container->size(value); ++i) {
      order += fmt::format(
          "{}[{}]", i == 0 ? "" : " ", ElementName(identity, type.container->at(value, i), i));
    }
    return order;
  }

  void Moved(const Type& type,
             const std::vector<const Field*>& identity,
             const std::string& path,
             const void* before,
             const void* after) {
    changes_.push_back({.path = path,
                        .before = Order(type, identity, before),
                        .after = Order(type, identity, after)});
  }

  void Changed(const Type& type, const std::string& path, const void* before, const void* after) {
    // A member that is no pointer is not there when zero.
    if (IsZero(type, before)) return Added(type, path, after);
    if (IsZero(type, after)) return Removed(type, path, before);
    changes_.push_back(
        {.path = path, .before = ToText(type, before), .after = ToText(type, after)});
  }
  void Added(const Type& type, const std::string& path, const void* value) {
    changes_.push_back({.path = path, .before = std::nullopt, .after = ToText(type, value)});
  }
  void Removed(const Type& type, const std::string& path, const void* value) {
    changes_.push_back({.path = path, .before = ToText(type, value), .after = std::nullopt});
  }

  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> Diff(const Type& type, const void* before, const void* after) {
  Differ differ;
  differ.Compare(type, {}, "", before, after);
  return differ.Take();
}

std::vector<Change> Diff(const Object& before, const Object& after) {
  if (&before.kind() == &after.kind()) return Diff(before.type(), before.value(), after.value());
  DRAY_CHECK(&before.kind().storage() == &after.kind().storage());
  const Object ours = conversion::ToHub(before);
  const Object theirs = conversion::ToHub(after);
  return Diff(ours.type(), ours.value(), theirs.value());
}

std::string PrintChanges(std::span<const Change> changes) {
  std::string lines;
  for (const Change& change : changes) {
    if (!change.before.has_value()) {
      lines += fmt::format("+ {}: {}\n", change.path, change.after.value_or(""));
    } else if (!change.after.has_value()) {
      lines += fmt::format("- {}: {}\n", change.path, *change.before);
    } else {
      lines += fmt::format("~ {}: {} → {}\n", change.path, *change.before, *change.after);
    }
  }
  return lines;
}

}  // namespace dray::api::inline compare
