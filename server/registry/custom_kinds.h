// SPDX-License-Identifier: Apache-2.0
// The custom kinds that a server has now: from definitions to kinds that are routed, stored and
// shown like all others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/custom_kind.h"
#include "api/live_scheme.h"
#include "server/registry/custom_version.h"
#include "server/registry/definition_outline.h"

namespace dray::server::registry {

/// "v10" before "v2" before "v1" before "v11beta2" before "v2alpha1" before "foo1": how versions of
/// a group are preferred.
bool IsVersionBefore(std::string_view a, std::string_view b);

/// Belongs to one thread; the scheme, which outlives it, is for all.
class CustomKinds {
 public:
  explicit CustomKinds(api::LiveScheme& scheme) : scheme_(scheme), next_(scheme.first()) {}
  CustomKinds(const CustomKinds&) = delete;
  CustomKinds& operator=(const CustomKinds&) = delete;
  ~CustomKinds() = default;

  /// Has the kinds of a definition, under its accepted names, from the next Publish() on; again
  /// after each change. False when there are too many kinds (CustomKindArena::kKindsMax): then
  /// nothing changes.
  bool Serve(DefinitionOutline outline);
  /// No more from the next Publish() on. O(log n).
  void Remove(std::string_view name);
  /// Makes the changes visible, if there are any. Copies eight bytes for each kind.
  void Publish();

  /// The kind of the definition, without a version; null when it is not served.
  const api::CustomKind* Find(std::string_view name) const;

 private:
  struct Served {
    const api::CustomKind* resource;
    std::vector<const api::CustomKind*> versions;

    std::vector<const api::KindInfo*> kinds() const;
  };

  api::LiveScheme& scheme_;
  api::CustomKindArena arena_;
  std::map<std::string, Served, std::less<>> served_;  // by the name of the definition
  api::Scheme next_;                                   // what Publish() makes visible
  bool is_changed_ = false;
};

}  // namespace dray::server::registry
