// SPDX-License-Identifier: Apache-2.0
// A client that writes through a version has not seen the fields that this version cannot express,
// and wants to keep them. So this walks three objects side by side: the stored one, the same as the
// version shows it (there and back), and the next one. Where the next one equals the shown one, the
// result is as stored. Changes by the client stay, and removed parts lose their hidden fields too.
// O(depth · size · log size): a list with hidden parts is looked up by its elements' identities.
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/conversion/conversion.h"
#include "api/conversion/structs.h"
#include "api/merge/element_identity.h"
#include "api/resource_v1/claim.h"
#include "base/check.h"

namespace dray::api::conversion {
namespace {

// The same place in the stored object, in it as shown, in the next one, and where the result goes,
// which starts empty.
struct Place {
  const void* stored;
  const void* shown;
  const void* next;
  void* result;
};

void Merge(const Type& type, const Facets& facets, Place place);

void MergeWhole(const Type& type, Place place) {
  const bool is_untouched = Equal(type, place.shown, place.next);
  Assign(type, place.result, is_untouched ? place.stored : place.next);
}

void MergeOptional(const Type& type, Place place) {
  const ContainerOperations& container = *type.container;
  const bool all = container.size(place.stored) != 0 && container.size(place.shown) != 0 &&
                   container.size(place.next) != 0;
  if (!all) return MergeWhole(type, place);
  Merge(type.element(),
        {},
        {.stored = container.at(place.stored, 0),
         .shown = container.at(place.shown, 0),
         .next = container.at(place.next, 0),
         .result = container.add(place.result, {})});
}

void MergeMap(const Type& type, Place place) {
  const ContainerOperations& container = *type.container;
  VisitMap(type, place.next, [&](std::string_view key, const void* next) {
    const void* stored = container.find(place.stored, key);
    const void* shown = container.find(place.shown, key);
    void* result = container.add(place.result, key);
    if (stored == nullptr || shown == nullptr) return Assign(type.element(), result, next);
    Merge(type.element(), {}, {.stored = stored, .shown = shown, .next = next, .result = result});
  });
  VisitMap(type, place.stored, [&](std::string_view key, const void* stored) {
    if (container.find(place.shown, key) != nullptr) return;
    if (container.find(place.next, key) != nullptr) return;
    Assign(type.element(), container.add(place.result, key), stored);
  });
}

using Indices = std::map<ElementKey, size_t>;

Indices IndicesOf(const std::vector<ElementKey>& keys) {
  Indices indices;
  for (size_t i = 0; i < keys.size(); ++i) indices.emplace(keys[i], i);
  return indices;
}

std::optional<size_t> Find(const Indices& indices, const ElementKey& key) {
  const auto found = indices.find(key);
  if (found == indices.end()) return std::nullopt;
  return found->second;
}

// For each element stored, which one it was shown as. `shown` are the keys of those shown.
std::vector<std::optional<size_t>> ShownAs(const Type& type,
                                           const Facets& facets,
                                           Place place,
                                           const std::vector<ElementKey>& shown) {
  const size_t size = type.container->size(place.stored);
  std::vector<std::optional<size_t>> shown_as(size);
  if (size == shown.size()) {
    for (size_t i = 0; i < size; ++i) shown_as[i] = i;
    return shown_as;
  }
  const std::vector<ElementKey> stored = KeysOf(type, facets, place.stored);
  const Indices indices = IndicesOf(shown);
  for (size_t i = 0; i < size; ++i) shown_as[i] = Find(indices, stored[i]);
  return shown_as;
}

// An element of the result: of the next list, of the stored one (because it was hidden), or merged.
struct Source {
  std::optional<size_t> next, stored, shown;
};

// The next list, with elements that were not shown behind the element they followed.
std::vector<Source> SourcesOf(const Type& type, const Facets& facets, Place place) {
  const std::vector<ElementKey> shown = KeysOf(type, facets, place.shown);
  const std::vector<std::optional<size_t>> shown_as = ShownAs(type, facets, place, shown);
  const Indices indices = IndicesOf(KeysOf(type, facets, place.next));
  std::vector<Source> kept(indices.size());
  std::vector<std::vector<size_t>> hidden(kept.size() + 1);  // [0]: before all, [i + 1]: behind i
  size_t behind = 0;
  for (size_t i = 0; i < shown_as.size(); ++i) {
    if (!shown_as[i].has_value()) {
      hidden[behind].push_back(i);
      continue;
    }
    const std::optional<size_t> next = Find(indices, shown[*shown_as[i]]);
    if (!next.has_value()) continue;
    kept[*next] = {.stored = i, .shown = shown_as[i]};
    behind = *next + 1;
  }
  std::vector<Source> sources;
  for (const size_t stored : hidden[0]) sources.push_back({.stored = stored});
  for (size_t i = 0; i < kept.size(); ++i) {
    sources.push_back({.next = i, .stored = kept[i].stored, .shown = kept[i].shown});
    for (const size_t stored : hidden[i + 1]) sources.push_back({.stored = stored});
  }
  return sources;
}

void MergeList(const Type& type, const Facets& facets, Place place) {
  const Type& element = type.element();
  if (element.scalar != nullptr) return MergeWhole(type, place);
  const ContainerOperations& container = *type.container;
  if (container.present(place.next)) container.set_present(place.result);
  for (const Source& source : SourcesOf(type, facets, place)) {
    void* result = container.add(place.result, {});
    if (source.next.has_value() && source.shown.has_value()) {  // a stored value was shown
      Merge(element,
            {},
            {.stored = container.at(place.stored, *source.stored),
             .shown = container.at(place.shown, *source.shown),
             .next = container.at(place.next, *source.next),
             .result = result});
    } else {
      Assign(element,
             result,
             source.next.has_value() ? container.at(place.next, *source.next)
                                     : container.at(place.stored, *source.stored));
    }
  }
}

void Merge(const Type& type, const Facets& facets, Place place) {
  if (Equal(type, place.shown, place.stored)) return Assign(type, place.result, place.next);
  if (type.scalar != nullptr) return MergeWhole(type, place);
  if (type.kind == TypeKind::kOptional) return MergeOptional(type, place);
  if (type.kind == TypeKind::kMap) return MergeMap(type, place);
  if (type.kind == TypeKind::kList) return MergeList(type, facets, place);
  for (const Field& field : type.fields) {
    Merge(field.type(),
          field.facets,
          {.stored = field.of(place.stored),
           .shown = field.of(place.shown),
           .next = field.of(place.next),
           .result = MutableMember(field, place.result)});
  }
}

// The deallocation request ends when the allocation is removed, also by clients that do not see the
// request.
void DropGrantedRequest(const Object& stored, const Object& shown, Object& result) {
  using resource_v1::ResourceClaim;
  if (result.If<ResourceClaim>() == nullptr) return;
  auto& status = result.Mutable<ResourceClaim>().status;
  const bool is_hidden = !shown.As<ResourceClaim>().status.deallocation_requested;
  const bool was_allocated = stored.As<ResourceClaim>().status.allocation.has_value();
  if (is_hidden && was_allocated && !status.allocation) status.deallocation_requested = false;
}

}  // namespace

void MergeBack(const KindInfo& version, const Object& stored, Object& next, Release release) {
  DRAY_CHECK(&stored.kind() == &next.kind());
  const Object shown = ThereAndBack(stored, version, release);
  // Mostly the version shows everything.
  if (shown.value() == stored.value() || Equal(stored.type(), shown.value(), stored.value())) {
    return;
  }
  Object result = Object::Make(next.kind());
  Merge(next.type(),
        {},
        {.stored = stored.value(),
         .shown = shown.value(),
         .next = next.value(),
         .result = result.mutable_value()});
  DropGrantedRequest(stored, shown, result);
  next = std::move(result);
}

}  // namespace dray::api::conversion
