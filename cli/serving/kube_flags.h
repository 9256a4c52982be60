// SPDX-License-Identifier: Apache-2.0
// The flags that `dray serve` shares with kube-apiserver, by name and meaning.
#pragma once

#include "cli/command_line/command.h"
#include "cli/serving/serve_options.h"

namespace dray::cli::inline serving {

/// Flags of the API, authentication and authorization, the audit log, connections and limits.
/// AddEtcdChoice adds those of the store. `options` must outlive the command.
void AddKubeFlags(Command& command, ServeOptions& options);

}  // namespace dray::cli::inline serving
