// SPDX-License-Identifier: Apache-2.0
// A program named `etcd` for those that start one beside kube-apiserver, as envtest does: it says
// that it is well and keeps nothing. The kube-apiserver that is told of it keeps its objects
// itself.
#pragma once

#include <string>
#include <vector>

#include "base/world.h"
#include "cli/command_line/command.h"

namespace dray::cli::inline serving {

/// The program `etcd`, whose options are those of `program` itself; it outlives the command.
void AddEtcdStandIn(Command& program);

/// Whether the one server in `urls` is a stand-in. One that does not answer is not.
bool IsEtcdStandIn(const Clock& clock, const std::vector<std::string>& urls);

}  // namespace dray::cli::inline serving
