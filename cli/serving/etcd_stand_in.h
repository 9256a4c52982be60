// SPDX-License-Identifier: Apache-2.0
// A program named `etcd` for tools such as envtest that start one beside kube-apiserver. It reports
// healthy and stores nothing. A kube-apiserver that is pointed at it stores its objects itself.
#pragma once

#include <string>
#include <vector>

#include "base/world.h"
#include "cli/command_line/command.h"

namespace dray::cli::inline serving {

/// Makes `program` the program `etcd`, with its options; `program` must outlive the command.
void AddEtcdStandIn(Command& program);

/// Whether the only server in `urls` is a stand-in. False if it does not answer.
bool IsEtcdStandIn(const Clock& clock, const std::vector<std::string>& urls);

}  // namespace dray::cli::inline serving
