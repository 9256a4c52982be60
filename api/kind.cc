// SPDX-License-Identifier: Apache-2.0
#include "api/kind.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dray::api {
namespace {

std::string Qualified(std::string_view word, std::string_view group) {
  std::string name(word);
  if (!group.empty()) name.append(".").append(group);
  return name;
}

using SchemeKey = std::array<std::string_view, 3>;

SchemeKey KindKey(const KindInfo* kind) {
  return {kind->kind, kind->version, kind->group};
}

SchemeKey PluralKey(const KindInfo* kind) {
  return {kind->plural, kind->version, kind->group};
}

// The first kind of `sorted` with that key; null if there is none.
const KindInfo* FirstAt(std::span<const KindInfo* const> sorted,
                        const SchemeKey& key,
                        SchemeKey (*key_of)(const KindInfo*)) {
  const auto found = std::ranges::lower_bound(sorted, key, {}, key_of);
  return found != sorted.end() && key_of(*found) == key ? *found : nullptr;
}

}  // namespace

std::string KindInfo::qualified_resource() const {
  return Qualified(plural, group);
}

std::string KindInfo::qualified_kind() const {
  return Qualified(kind, group);
}

Scheme::Scheme() {
  static const Scheme kBuiltin(BuiltinKinds());
  *this = kBuiltin;
}

Scheme::Scheme(std::span<const KindInfo* const> kinds) : kinds_(kinds.begin(), kinds.end()) {
  for (const KindInfo* kind : kinds_) Index(*kind);
}

void Scheme::Replace(std::span<const KindInfo* const> before,
                     std::span<const KindInfo* const> now,
                     const KindInfo* next) {
  auto place =
      before.empty() ? std::ranges::find(kinds_, next) : std::ranges::find(kinds_, before.front());
  for (const KindInfo* kind : before) Drop(*kind);
  place = kinds_.erase(place, place + static_cast<std::ptrdiff_t>(before.size()));
  kinds_.insert(place, now.begin(), now.end());
  for (const KindInfo* kind : now) Index(*kind);
}

void Scheme::Index(const KindInfo& kind) {
  by_kind_.insert(std::ranges::upper_bound(by_kind_, KindKey(&kind), {}, KindKey), &kind);
  if (!kind.served) return;
  by_plural_.insert(std::ranges::upper_bound(by_plural_, PluralKey(&kind), {}, PluralKey), &kind);
}

void Scheme::Drop(const KindInfo& kind) {
  by_kind_.erase(std::ranges::find(by_kind_, &kind));
  if (kind.served) by_plural_.erase(std::ranges::find(by_plural_, &kind));
}

const KindInfo* Scheme::FindKind(std::string_view api_version, std::string_view kind) const {
  const size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  return FirstAt(by_kind_, {kind, version, group}, KindKey);
}

const KindInfo* Scheme::FindResource(std::string_view group,
                                     std::string_view version,
                                     std::string_view plural) const {
  return FirstAt(by_plural_, {plural, version, group}, PluralKey);
}

}  // namespace dray::api
