// SPDX-License-Identifier: Apache-2.0
// The commands that answer questions about clusters and manifests. Each has a file of its name with
// its options, its help and its action.
#pragma once

#include "cli/command_line/command.h"

namespace dray::cli::inline questions {

// Each adds a command to `program`.

/// dray allocate: which pods and claims would get which devices.
void AddAllocate(Command& program);
/// dray cel: compiles an expression, its cost, and which devices of manifests it selects.
void AddCel(Command& program);
/// dray explain: why a pod or claim gets no devices, and what would help.
void AddExplain(Command& program);
/// dray whatif: whether planned work would fit into a cluster.
void AddWhatIf(Command& program);
/// dray capacity: the devices of a cluster, and what is left.
void AddCapacity(Command& program);
/// dray lint: objects that an API server accepts but that cannot work in a cluster.
void AddLint(Command& program);
/// dray convert: converts manifests to another version of resource.k8s.io.
void AddConvert(Command& program);
/// dray validate: how an API server would answer to manifests, without a server.
void AddValidate(Command& program);

}  // namespace dray::cli::inline questions
