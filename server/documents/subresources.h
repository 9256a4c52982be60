// SPDX-License-Identifier: Apache-2.0
// The subresources of a kind, as discovery and OpenAPI name them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/release.h"

namespace dray::server::documents {

struct Subresource {
  std::string_view name;
  std::string_view group, version;  // of its kind; empty if they are the parent's
  std::string_view kind;            // the kind that is sent or returned
  std::span<const std::string_view> verbs;
};

/// The subresources that `release` serves, by name, including status.
std::vector<Subresource> SubresourcesOf(const api::KindInfo& kind, api::Release release);

}  // namespace dray::server::documents
