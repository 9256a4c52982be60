// SPDX-License-Identifier: Apache-2.0
// Objects that a real server makes of itself when it starts, beside namespaces and roles: which
// groups it serves, and whose requests wait for whose. Nobody here acts on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/task.h"
#include "server/verbs/answer.h"
#include "server/verbs/call.h"
#include "server/verbs/request.h"

namespace dray::server::verbs {

/// An APIService for each group and version of `scheme` but that of APIServices, with upstream's
/// priorities.
std::vector<api::Object> LocalApis(const api::Scheme& scheme, api::Release release);

/// The label of APIServices that a server makes and removes again.
inline constexpr const char* kManagedLabel = "kube-aggregator.kubernetes.io/automanaged";
/// That of a version of custom kinds.
api::Object ApiServiceOf(std::string_view group, std::string_view version);

/// The levels and flow schemas that Kubernetes 1.37 begins with.
std::vector<api::Object> FirstFlowControl();

// The parts of Resources::Bootstrap(), BootstrapObjects() and BootstrapCluster().

Task<> MakeNamespaces(const Core* core);
Task<> MakeFirstObjects(const Core* core);
/// Gives roles and bindings of the bootstrap policy back what somebody took from them.
Task<> RepairPolicy(const Core* core);
Task<> MakeCluster(const Core* core, std::string address, uint16_t port);

/// Carries out a request of the server itself, which admission policies are not asked about: none
/// of them must keep a server from starting.
Task<Answer> CarryOutOwn(const Core* core, storage::WriteSession* session, ResourceRequest request);

/// Notes in the status of a flow schema that its level is there, which what prepares a new object
/// leaves out. Other kinds stay as they are.
void NoteLevelFound(api::Object& object);

}  // namespace dray::server::verbs
