// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch (Kubernetes' own; the API conventions and the patch design document define
// the directives). Lists whose field declares a merge key are merged element by element, lists of
// scalars with the strategy merge are united, everything else is replaced.
//
// Order of a merged list: elements of the patch are in the order of the patch, or of
// $setElementOrder if it is present. Elements only in the live list keep their order. Between the
// two, the live order decides where both elements are in the live list; elsewhere the element of
// the patch comes first. So a patch that adds one element puts it before the live ones, as upstream
// does.
#include "server/patch/strategic_merge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "server/errors/errors.h"

namespace dray::server::patch {
namespace {

using api::JsonKind;
using Elements = std::vector<JsonTree>;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";
constexpr std::string_view kSetOrder = "$setElementOrder/";

Failure BadForm(std::string_view of) {
  return Fail(StatusReason::kBadRequest, fmt::format("invalid patch format of {}", of));
}

Failure NoMergeKey(const JsonTree& map, std::string_view key) {
  return Fail(StatusReason::kUnknown,
              fmt::format("map: {} does not contain declared merge key: {}", GoText(map), key));
}

Failure ListsOfLists() {
  return Fail(errors::WithoutSubject(
      StatusReason::kInvalid, "the server rejected our request due to an error in our request"));
}

// The schema of one member. A null type is a place without schema (opaque JSON).
struct Schema {
  const api::Type* type = nullptr;
  bool merges = false;
  std::string_view merge_key = {};
};

const api::Type* Inner(const api::Type* type) {
  while (type != nullptr && type->kind == api::TypeKind::kOptional) type = &type->element();
  return type;
}

const api::Field* FindField(const api::Type& type, std::string_view name) {
  for (const api::Field& field : type.fields) {
    if (!field.facets.inlined) {
      if (field.name == name) return &field;
      continue;
    }
    const api::Type* inner = Inner(&field.type());
    if (const api::Field* found = FindField(*inner, name); found != nullptr) return found;
  }
  return nullptr;
}

Result<Schema> SchemaOf(const api::Type* parent, std::string_view name) {
  if (parent == nullptr || parent->kind == api::TypeKind::kRawJson) return Schema{};
  if (parent->kind == api::TypeKind::kMap) return Schema{.type = Inner(&parent->element())};
  if (parent->kind != api::TypeKind::kStruct) return Schema{};
  if (name == "kind" || name == "apiVersion") return Schema{};
  const api::Field* field = FindField(*parent, name);
  if (field == nullptr) {
    return Fail(
        StatusReason::kUnknown,
        fmt::format(
            "unable to find api field in struct {} for the json field \"{}\"", parent->name, name));
  }
  // "retainKeys" beside "merge" only allows the directive $retainKeys, which is always understood.
  return Schema{.type = Inner(&field->type()),
                .merges = field->facets.patch_strategy.find("merge") != std::string_view::npos,
                .merge_key = field->facets.merge_key};
}

const api::Type* ElementOf(const api::Type* list) {
  if (list == nullptr || list->kind != api::TypeKind::kList) return nullptr;
  return Inner(&list->element());
}

bool IsDirective(std::string_view name) {
  return name == kDirective || name == kRetainKeys || name.starts_with(kDeleteFrom) ||
         name.starts_with(kSetOrder);
}

// Prepares a value for a place without a live value: removes directives, deleting elements and
// nulls.
void DropDirectives(JsonTree& tree) {
  if (tree.is_array()) {
    std::erase_if(tree.elements(), [](const JsonTree& element) {
      return element.is_object() && element.members().Find(kDirective) != nullptr;
    });
    for (JsonTree& element : tree.elements()) DropDirectives(element);
  }
  if (!tree.is_object()) return;
  std::vector<std::string> dropped;
  for (const auto& [name, value] : tree.members().All()) {
    if (IsDirective(name) || value->is_null()) {
      dropped.emplace_back(name);
    } else {
      DropDirectives(*value);
    }
  }
  for (const std::string& name : dropped) tree.members().Take(name);
}

// Elements that a merge considers equal have the same identity: their merge key, or the scalar.
Result<std::string> IdentityOf(const JsonTree& element, std::string_view merge_key) {
  const JsonTree* value = &element;
  if (!merge_key.empty()) {
    value = element.members().Find(merge_key);
    if (value == nullptr) return NoMergeKey(element, merge_key);
  }
  std::string identity(1, static_cast<char>('a' + static_cast<int>(value->kind)));
  if (value->is_string()) {
    identity += value->text;
  } else {
    WriteJsonTree(*value, identity);
  }
  return identity;
}

using Places = std::unordered_map<std::string, size_t>;

// The first place of each identity.
Result<Places> PlacesOf(const Elements& list, std::string_view merge_key) {
  Places places;
  for (size_t i = 0; i < list.size(); ++i) {
    DRAY_TRY(std::string identity, IdentityOf(list[i], merge_key));
    places.emplace(std::move(identity), i);
  }
  return places;
}

bool IsDelete(const JsonTree& element) {
  const JsonTree* directive = element.members().Find(kDirective);
  return directive != nullptr && directive->text == "delete";
}

// Sorts `merged` (see the top): `wanted_places` has the elements of the patch, `live_places` the
// order before the patch.
Result<Elements> InOrder(Elements merged,
                         const Places& wanted_places,
                         const Places& live_places,
                         std::string_view merge_key) {
  struct Placed {
    std::optional<size_t> wanted, live;
    size_t merged;  // settles ties
    JsonTree element;
  };
  std::vector<Placed> named, others;
  for (JsonTree& element : merged) {
    DRAY_TRY(const std::string identity, IdentityOf(element, merge_key));
    Placed placed{.merged = named.size() + others.size(), .element = std::move(element)};
    if (const auto at = live_places.find(identity); at != live_places.end())
      placed.live = at->second;
    if (const auto at = wanted_places.find(identity); at != wanted_places.end()) {
      placed.wanted = at->second;
      named.push_back(std::move(placed));
    } else {
      others.push_back(std::move(placed));
    }
  }
  std::ranges::sort(named, {}, [](const Placed& p) { return std::pair(p.wanted, p.merged); });
  std::ranges::sort(others, {}, [](const Placed& p) { return std::pair(p.live, p.merged); });
  Elements ordered;
  ordered.reserve(merged.size());
  for (auto other = others.begin(), name = named.begin();
       other != others.end() || name != named.end();) {
    const bool take_other = name == named.end() || (other != others.end() && other->live &&
                                                    name->live && other->live < name->live);
    ordered.push_back(std::move(take_other ? (other++)->element : (name++)->element));
  }
  return ordered;
}

class Merger {
 public:
  explicit Merger(size_t bytes) : work_left_(kMergeWorkMin + bytes / kBytesPerMergeWork) {}

  // Merges `patch` into `live`, both objects.
  Result<> MergeMap(const api::Type* type, JsonTree patch, JsonTree& live) {
    if (const JsonTree* directive = patch.members().Find(kDirective); directive != nullptr) {
      const std::string word = directive->text;
      patch.members().Take(kDirective);
      if (word == "replace") {
        live = std::move(patch);
        return {};
      }
      if (word == "delete") {
        live = JsonTree::Object();
        return {};
      }
      if (word != "merge") {
        return Fail(StatusReason::kUnknown,
                    fmt::format("unknown patch type: {} in map: {}", word, GoText(patch)));
      }
    }
    DRAY_TRY_VOID(RetainKeys(patch, live));
    DRAY_TRY_VOID(SetOrders(type, patch, live));
    for (const auto& [name, value] : patch.members().All()) {
      DRAY_TRY_VOID(MergeMember(type, name, std::move(*value), live));
    }
    return {};
  }

 private:
  Result<> RetainKeys(JsonTree& patch, JsonTree& live) {
    const JsonTree directive = patch.members().Take(kRetainKeys);
    if (directive.kind == JsonKind::kInvalid) return {};
    if (!directive.is_array()) return BadForm("retainKeys");
    std::set<std::string, std::less<>> kept;
    for (const JsonTree& element : directive.elements()) kept.insert(element.text);
    for (const auto& [name, value] : patch.members().All()) {
      const bool free =
          value->is_null() || name.starts_with(kDeleteFrom) || name.starts_with(kSetOrder);
      if (!free && !kept.contains(name)) return BadForm("retainKeys");
    }
    DRAY_TRY_VOID(Charge(live.members().size()));
    std::vector<std::string> cleared;
    for (const auto& [name, value] : live.members().All()) {
      if (!kept.contains(name)) cleared.emplace_back(name);
    }
    for (const std::string& name : cleared) live.members().Take(name);
    return {};
  }

  // Carries out every $setElementOrder of `patch`, together with the list it orders.
  Result<> SetOrders(const api::Type* type, JsonTree& patch, JsonTree& live) {
    std::vector<std::string> directives;
    for (const auto& [name, value] : patch.members().All()) {
      if (name.starts_with(kSetOrder)) directives.emplace_back(name);
    }
    for (const std::string& directive : directives) {
      const JsonTree order = patch.members().Take(directive);
      const std::string_view name = std::string_view(directive).substr(kSetOrder.size());
      if (!order.is_array()) return BadForm("setElementOrder list");
      DRAY_TRY(const Schema schema, SchemaOf(type, name));
      // Scalars to delete are named beside the order; they go first.
      const JsonTree deleted = patch.members().Take(std::string(kDeleteFrom) + std::string(name));
      if (deleted.kind != JsonKind::kInvalid) DRAY_TRY_VOID(DeleteScalars(name, deleted, live));
      DRAY_TRY_VOID(SetOrder(schema, name, order, patch, live));
    }
    return {};
  }

  Result<> SetOrder(const Schema& schema,
                    std::string_view name,
                    const JsonTree& order,
                    JsonTree& patch,
                    JsonTree& live) {
    JsonTree* current = live.members().Find(name);
    if (current != nullptr && !current->is_array()) return BadForm("setElementOrder list");
    JsonTree change = patch.members().Take(name);
    const bool changes = change.kind != JsonKind::kInvalid && !change.is_null();
    if (change.is_null()) {
      live.members().Take(name);
      return {};
    }
    if (changes && !change.is_array()) return BadForm("setElementOrder list");
    if (changes) DRAY_TRY_VOID(CheckOrder(schema.merge_key, change, order));
    if (current == nullptr && !changes) return {};
    const std::string_view key = KeyFor(schema, order.elements());
    const Elements none;
    const Elements& before = current == nullptr ? none : current->elements();
    DRAY_TRY_VOID(Charge(before.size() + order.elements().size()));
    // Errors in the live list are reported last.
    Result<Places> live_places = PlacesOf(before, key);
    JsonTree merged;
    merged.kind = JsonKind::kArray;
    if (current == nullptr) {
      merged = std::move(change);
      DropDirectives(merged);
    } else {
      merged = std::move(*current);
      if (changes) DRAY_TRY_VOID(MergeList(schema, std::move(change), merged));
    }
    DRAY_TRY(const Places wanted_places, PlacesOf(order.elements(), key));
    if (!live_places) return std::move(live_places).failure();
    DRAY_TRY(merged.elements(),
             InOrder(std::move(merged.elements()), wanted_places, *live_places, key));
    live.members().Set(name, std::move(merged));
    return {};
  }

  // Lists of scalars have no key, whatever the schema says.
  static std::string_view KeyFor(const Schema& schema, const Elements& elements) {
    const bool scalars = !elements.empty() && !elements.front().is_object();
    return scalars ? std::string_view() : schema.merge_key;
  }

  // All elements of the patch must be in the wanted order, in the same sequence.
  static Result<> CheckOrder(std::string_view merge_key,
                             const JsonTree& patch,
                             const JsonTree& order) {
    size_t at = 0;
    for (const JsonTree& element : patch.elements()) {
      if (IsDelete(element)) continue;
      DRAY_TRY(const std::string identity, IdentityOf(element, merge_key));
      for (;; ++at) {
        if (at == order.elements().size()) {
          return Fail(StatusReason::kUnknown,
                      fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder "
                                  "list:\n{}\n",
                                  GoText(patch),
                                  GoText(order)));
        }
        DRAY_TRY(const std::string wanted, IdentityOf(order.elements()[at], merge_key));
        if (wanted == identity) break;
      }
      ++at;
    }
    return {};
  }

  Result<> DeleteScalars(std::string_view name, const JsonTree& deleted, JsonTree& live) {
    if (!deleted.is_array()) return BadForm("primitive list");
    JsonTree* list = live.members().Find(name);
    if (list == nullptr || !list->is_array()) return {};
    DRAY_TRY_VOID(Charge(list->elements().size()));
    DRAY_TRY(const Places gone, PlacesOf(deleted.elements(), {}));
    std::erase_if(list->elements(), [&](const JsonTree& element) {
      const auto identity = IdentityOf(element, {});
      return identity.has_value() && gone.contains(*identity);
    });
    return {};
  }

  Result<> MergeMember(const api::Type* type,
                       std::string_view name,
                       JsonTree value,
                       JsonTree& live) {
    if (name.starts_with(kDeleteFrom)) {
      return DeleteScalars(name.substr(kDeleteFrom.size()), value, live);
    }
    if (value.is_null()) {
      live.members().Take(name);
      return {};
    }
    JsonTree* current = live.members().Find(name);
    if (current == nullptr || current->kind != value.kind) {
      DropDirectives(value);
      live.members().Set(name, std::move(value));
      return {};
    }
    if (!value.is_object() && !value.is_array()) {
      *current = std::move(value);
      return {};
    }
    DRAY_TRY(const Schema schema, SchemaOf(type, name));
    if (value.is_array()) return MergeList(schema, std::move(value), *current);
    return MergeMap(schema.type, std::move(value), *current);
  }

  // Merges `patch` into `live`, both arrays, by the schema of their field.
  Result<> MergeList(const Schema& schema, JsonTree patch, JsonTree& live) {
    if (!schema.merges) {
      live = std::move(patch);
      return {};
    }
    if (patch.elements().empty() && live.elements().empty()) return {};
    DRAY_TRY_VOID(Charge(patch.elements().size() + live.elements().size()));
    const JsonTree& sample = patch.elements().empty() ? live.elements()[0] : patch.elements()[0];
    for (const Elements* list : {&patch.elements(), &live.elements()}) {
      for (const JsonTree& element : *list) {
        if (element.is_array()) return ListsOfLists();
        if (element.is_object() != sample.is_object()) return BadForm("primitive list");
      }
    }
    if (!sample.is_object()) return UniteScalars(std::move(patch), live);
    if (schema.merge_key.empty()) {
      return Fail(
          StatusReason::kUnknown,
          fmt::format("cannot merge lists without merge key for {}", ElementOf(schema.type)->name));
    }
    return MergeMaps(schema, std::move(patch), live);
  }

  static Result<> UniteScalars(JsonTree patch, JsonTree& live) {
    Elements both = live.elements();
    both.insert(both.end(), patch.elements().begin(), patch.elements().end());
    DRAY_TRY(const Places first, PlacesOf(both, {}));
    Elements united;
    for (size_t i = 0; i < both.size(); ++i) {
      DRAY_TRY(const std::string identity, IdentityOf(both[i], {}));
      if (first.at(identity) == i) united.push_back(both[i]);
    }
    DRAY_TRY(const Places wanted, PlacesOf(patch.elements(), {}));
    DRAY_TRY(const Places before, PlacesOf(live.elements(), {}));
    DRAY_TRY(live.elements(), InOrder(std::move(united), wanted, before, {}));
    return {};
  }

  // Carries out the elements of `patch` that are directives and leaves the others.
  static Result<> Directives(std::string_view key, Elements& patch, Elements& live) {
    Elements plain;
    std::set<std::string, std::less<>> deleted;
    bool replaces = false;
    for (JsonTree& element : patch) {
      const JsonTree* directive = element.members().Find(kDirective);
      if (directive == nullptr) {
        plain.push_back(std::move(element));
      } else if (directive->text == "delete") {
        DRAY_TRY(std::string identity, IdentityOf(element, key));
        deleted.insert(std::move(identity));
      } else if (directive->text == "replace") {
        replaces = true;
      } else if (directive->text == "merge") {
        return Fail(StatusReason::kUnknown, "merging lists cannot yet be specified in the patch");
      } else {
        return Fail(
            StatusReason::kUnknown,
            fmt::format("unknown patch type: {} in map: {}", directive->text, GoText(element)));
      }
    }
    if (replaces) {
      live = std::move(plain);
      patch.clear();
      return {};
    }
    patch = std::move(plain);
    if (deleted.empty()) return {};
    Elements kept;
    for (JsonTree& element : live) {
      DRAY_TRY(const std::string identity, IdentityOf(element, key));
      if (!deleted.contains(identity)) kept.push_back(std::move(element));
    }
    live = std::move(kept);
    return {};
  }

  Result<> MergeMaps(const Schema& schema, JsonTree patch, JsonTree& live) {
    const std::string_view key = schema.merge_key;
    DRAY_TRY_VOID(Directives(key, patch.elements(), live.elements()));
    DRAY_TRY(const Places before, PlacesOf(live.elements(), key));
    Places places = before;
    Places wanted;
    Elements& merged = live.elements();
    for (size_t i = 0; i < patch.elements().size(); ++i) {
      JsonTree& element = patch.elements()[i];
      DRAY_TRY(std::string identity, IdentityOf(element, key));
      wanted.emplace(identity, i);
      const auto [place, is_new] = places.emplace(std::move(identity), merged.size());
      if (is_new) {
        DropDirectives(element);
        merged.push_back(std::move(element));
      } else {
        DRAY_TRY_VOID(MergeMap(ElementOf(schema.type), std::move(element), merged[place->second]));
      }
    }
    DRAY_TRY(live.elements(), InOrder(std::move(live.elements()), wanted, before, key));
    return {};
  }

  // No useful patch repeats one element many times, each time with a list to merge.
  Result<> Charge(size_t elements) {
    if (elements <= work_left_) {
      work_left_ -= elements;
      return {};
    }
    return Fail(StatusReason::kRequestEntityTooLarge,
                "Request entity too large: the patch walks over lists again and again");
  }

  size_t work_left_;
};

}  // namespace

Result<> ApplyStrategicMerge(const api::Type& type,
                             JsonTree patch,
                             JsonTree& document,
                             size_t bytes) {
  return Merger(bytes).MergeMap(&type, std::move(patch), document);
}

}  // namespace dray::server::patch
