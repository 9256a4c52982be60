// SPDX-License-Identifier: Apache-2.0
// The options that choose the store of a command.
#pragma once

#include "cli/command_line/command.h"
#include "control_plane/store_choice.h"

namespace dray::cli::inline stores {

/// --data-dir, --etcd-servers and related options, with kube-apiserver's names where it has them.
/// `choice` must outlive the command.
void AddStoreChoice(Command& command, control_plane::StoreChoice& choice);

/// Only --etcd-servers and its related options.
void AddEtcdChoice(Command& command, control_plane::StoreChoice& choice);

/// Sets ~/.dray unless a folder is named. Precondition: no thread has started.
void UseDefaultFolder(control_plane::StoreChoice& choice);

}  // namespace dray::cli::inline stores
