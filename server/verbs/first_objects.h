// SPDX-License-Identifier: Apache-2.0
// Objects that a real server makes of itself when it starts, beside namespaces and roles: which
// groups it serves, and whose requests wait for whose. Nobody here acts on them.
#pragma once

#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"

namespace dray::server::verbs {

/// An APIService for each group and version of `scheme` but that of APIServices, with upstream's
/// priorities.
std::vector<api::Object> LocalApis(const api::Scheme& scheme, api::Release release);

/// The levels and flow schemas that Kubernetes 1.37 begins with.
std::vector<api::Object> FirstFlowControl();

/// Notes in the status of a flow schema that its level is there, which what prepares a new object
/// leaves out. Other kinds stay as they are.
void NoteLevelFound(api::Object& object);

}  // namespace dray::server::verbs
