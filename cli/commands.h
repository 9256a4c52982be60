// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each has a file of its name, with its options, its help and what it
// does; main.cc lists them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/world.h"
#include "cli/output.h"

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
}

namespace dray::cli {

struct Command {
  const CLI::App* app;  // as CLI11 knows it
  /// What it does once its options are read. Returns the exit code.
  std::function<int(World&, const Output&)> run;
};

// Each adds a command to `program`, which outlives it.

/// dray serve: API server, scheduler, controllers and simulated nodes in one process.
Command AddServe(CLI::App& program);
/// dray allocate: who would get which devices, from manifests alone.
Command AddAllocate(CLI::App& program);
/// dray cel: what an expression is, what it costs, and which devices of manifests it chooses.
Command AddCel(CLI::App& program);
/// dray explain: why a pod or claim gets no devices, and what would help.
Command AddExplain(CLI::App& program);
/// dray whatif: whether work would fit into a cluster, before it is there.
Command AddWhatIf(CLI::App& program);
/// dray capacity: what there is of devices, and what is left.
Command AddCapacity(CLI::App& program);
/// dray lint: what an API server accepts and cannot work in a cluster.
Command AddLint(CLI::App& program);
/// dray convert: manifests in another version of resource.k8s.io.
Command AddConvert(CLI::App& program);
/// dray validate: what an API server would say to manifests, without one.
Command AddValidate(CLI::App& program);
/// dray store: what an operator does with the store of dray serve, running or not.
Command AddStore(CLI::App& program);
/// dray help: what --help prints, and man pages.
Command AddHelp(CLI::App& program);
/// dray completion: scripts for shells.
Command AddCompletion(CLI::App& program);
/// dray version.
Command AddVersion(CLI::App& program);

/// The program named kube-apiserver, whose options are those of `program` itself: the API server
/// alone.
Command AddKubeApiserver(CLI::App& program);

/// What those scripts ask for, "dray __complete WORD...": what may stand for the last word, a line
/// each, ":files" and ":folders" for paths. Returns kExitYes.
int PrintCompletion(World& world,
                    const CLI::App& program,
                    const std::vector<std::string>& words,
                    const Output& output);

/// "dray 0.1.0 (Kubernetes API 1.37, allocator profile v0.37.2)".
std::string VersionLine();

}  // namespace dray::cli
