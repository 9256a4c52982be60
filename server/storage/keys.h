// SPDX-License-Identifier: Apache-2.0
// The keys of objects in the store. The layout is upstream's, so upstream's tools and dumps work:
// /registry/<resource>/[<namespace>/]<name>, where <resource> is the plural (nodes are "minions").
// All versions of a kind share one key.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"

namespace dray::server::storage {

/// The prefix of all keys of objects.
inline constexpr std::string_view kRegistry = "/registry/";

/// The prefix of the keys of all objects of a kind, such as "/registry/pods/".
std::string ResourcePrefix(const api::KindInfo& kind);

/// The prefix of the objects of one namespace; of all, when `namespace_` is empty or the kind
/// is cluster-scoped.
std::string CollectionPrefix(const api::KindInfo& kind, std::string_view namespace_);

/// The key of one object. A validated name has no slash, so different objects have different keys;
/// a name that was not validated matches no object.
std::string ObjectKey(const api::KindInfo& kind,
                      std::string_view namespace_,
                      std::string_view name);

/// The key of a namespace object.
std::string NamespaceKey(std::string_view name);

}  // namespace dray::server::storage
