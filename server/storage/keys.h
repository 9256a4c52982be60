// SPDX-License-Identifier: Apache-2.0
// Where objects lie in the store. The layout is upstream's, so its tools and dumps fit:
// /registry/<resource>/[<namespace>/]<name>, where <resource> is the plural (nodes are "minions").
// All versions of a kind share one key.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"

namespace dray::server::storage {

/// What all keys of objects begin with.
inline constexpr std::string_view kRegistry = "/registry/";

/// "/registry/pods/": what all objects of a kind begin with.
std::string ResourcePrefix(const api::KindInfo& kind);

/// The prefix of the objects of one namespace; of all, when `namespace_` is empty or the kind
/// is cluster-scoped.
std::string CollectionPrefix(const api::KindInfo& kind, std::string_view namespace_);

/// The key of one object. Names never hold a slash once checked, so different objects have
/// different keys; an unchecked name finds nothing.
std::string ObjectKey(const api::KindInfo& kind,
                      std::string_view namespace_,
                      std::string_view name);

/// The key of a namespace object.
std::string NamespaceKey(std::string_view name);

}  // namespace dray::server::storage
