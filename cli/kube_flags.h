// SPDX-License-Identifier: Apache-2.0
// The flags that `dray serve` shares with kube-apiserver, by name and meaning.
#pragma once

#include "cli/serve_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace dray::cli {

/// Of the API, of rights, the audit log, connections and limits; those of the store are
/// AddEtcdChoice's. `options` outlives the command.
void AddKubeFlags(CLI::App& command, ServeOptions& options);

}  // namespace dray::cli
