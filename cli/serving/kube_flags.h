// SPDX-License-Identifier: Apache-2.0
// The flags that `dray serve` shares with kube-apiserver, by name and meaning.
#pragma once

#include "cli/command_line/command.h"
#include "cli/serving/serve_options.h"

namespace dray::cli::inline serving {

/// Of the API, of rights, the audit log, connections and limits; those of the store are
/// AddEtcdChoice's. `options` outlives the command.
void AddKubeFlags(Command& command, ServeOptions& options);

}  // namespace dray::cli::inline serving
