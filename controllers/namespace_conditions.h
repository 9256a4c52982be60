// SPDX-License-Identifier: Apache-2.0
// What a namespace says of why it cannot end yet, in upstream's words.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "api/core_v1/namespace.h"
#include "api/value/time.h"

namespace dray::controllers {

/// What holds a namespace up.
struct NamespaceLeftovers {
  size_t objects = 0;                         // of all, those that have just been deleted too
  std::map<std::string, size_t> resources;    // "pods.": how many are going and not gone
  std::map<std::string, size_t> finalizers;   // on how many of them
  std::vector<std::string> failed_deletions;  // what was said
};

/// Sets the conditions of `status`; whether one has changed.
bool SetConditions(api::core_v1::NamespaceStatus& status,
                   const NamespaceLeftovers& leftovers,
                   api::Time now);

}  // namespace dray::controllers
