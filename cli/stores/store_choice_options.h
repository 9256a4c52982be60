// SPDX-License-Identifier: Apache-2.0
// The options that say which store a command works on.
#pragma once

#include "cli/command_line/command.h"
#include "control_plane/store_choice.h"

namespace dray::cli::inline stores {

/// --data-dir, --etcd-servers and those that go with them; the names are kube-apiserver's where it
/// has them. `choice` outlives the command.
void AddStoreChoice(Command& command, control_plane::StoreChoice& choice);

/// --etcd-servers and its kin only.
void AddEtcdChoice(Command& command, control_plane::StoreChoice& choice);

/// ~/.dray, unless a folder was named. Precondition: no thread has started.
void UseDefaultFolder(control_plane::StoreChoice& choice);

}  // namespace dray::cli::inline stores
