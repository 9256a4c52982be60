// SPDX-License-Identifier: Apache-2.0
// The commands that answer questions about clusters and manifests. Each has a file of its name,
// with its options, its help and what it does.
#pragma once

#include "cli/command_line/command.h"

namespace dray::cli::inline questions {

// Each adds a command to `program`.

/// dray allocate: who would get which devices, from manifests alone.
void AddAllocate(Command& program);
/// dray cel: what an expression is, what it costs, and which devices of manifests it chooses.
void AddCel(Command& program);
/// dray explain: why a pod or claim gets no devices, and what would help.
void AddExplain(Command& program);
/// dray whatif: whether work would fit into a cluster, before it is there.
void AddWhatIf(Command& program);
/// dray capacity: what there is of devices, and what is left.
void AddCapacity(Command& program);
/// dray lint: what an API server accepts and cannot work in a cluster.
void AddLint(Command& program);
/// dray convert: manifests in another version of resource.k8s.io.
void AddConvert(Command& program);
/// dray validate: what an API server would say to manifests, without one.
void AddValidate(Command& program);

}  // namespace dray::cli::inline questions
