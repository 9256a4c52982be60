// SPDX-License-Identifier: Apache-2.0
// Objects that kube-apiserver creates when it starts, beside namespaces and roles: APIServices for
// the groups it serves, and levels and schemas of flow control. This server does not act on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/task.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/request.h"

namespace dray::server::verbs::inline context {

/// An APIService for each group and version of `scheme` except that of APIServices, with upstream's
/// priorities.
std::vector<api::Object> LocalApis(const api::Scheme& scheme, api::Release release);

/// The label of APIServices that the server creates and deletes automatically.
inline constexpr const char* kManagedLabel = "kube-aggregator.kubernetes.io/automanaged";
/// The APIService of a version of custom kinds.
api::Object ApiServiceOf(std::string_view group, std::string_view version);

/// The priority levels and flow schemas of a new cluster of Kubernetes 1.37.
std::vector<api::Object> FirstFlowControl();

// The parts of Resources::Bootstrap(), BootstrapObjects() and BootstrapCluster().

Task<> MakeNamespaces(const Core* core);
Task<> MakeFirstObjects(const Core* core);
/// Restores rules and subjects that were removed from roles and bindings of the bootstrap policy.
Task<> RepairPolicy(const Core* core);
Task<> MakeCluster(const Core* core, std::string address, uint16_t port);

/// Carries out a request of the server itself. Admission policies do not apply to it, so that no
/// policy can keep a server from starting.
Task<Answer> CarryOutOwn(const Core* core, storage::WriteSession* session, ResourceRequest request);

/// Sets the condition of a flow schema that its priority level exists; the preparation of a new
/// object drops the status. Leaves other kinds as they are.
void NoteLevelFound(api::Object& object);

}  // namespace dray::server::verbs::inline context
