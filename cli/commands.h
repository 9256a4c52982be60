// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each has a file of its name, with its options, its help and what it
// does; main.cc lists them.
#pragma once

#include <span>
#include <string>

#include "base/world.h"
#include "cli/command.h"
#include "cli/output.h"

namespace dray::cli {

// Each adds a command to `program`.

/// dray serve: API server, scheduler, controllers and simulated nodes in one process.
void AddServe(Command& program);
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
/// dray store: what an operator does with the store of dray serve, running or not.
void AddStore(Command& program);
/// dray help: what --help prints, and man pages.
void AddHelp(Command& program);
/// dray completion: scripts for shells.
void AddCompletion(Command& program);
/// dray version.
void AddVersion(Command& program);

/// The program named kube-apiserver, whose options are those of `program` itself: the API server
/// alone.
void AddKubeApiserver(Command& program);

/// What those scripts ask for, "dray __complete WORD...": what may stand for the last word, a line
/// each, ":files" and ":folders" for paths. Returns kExitYes.
int PrintCompletion(World& world,
                    const Command& program,
                    std::span<const std::string> words,
                    const Output& output);

/// "dray 0.1.0 (Kubernetes API 1.37, allocator profile v0.37.2)".
std::string VersionLine();

}  // namespace dray::cli
