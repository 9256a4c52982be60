// SPDX-License-Identifier: Apache-2.0
// The choice of the store: a file of the data folder, etcd, or memory.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "store/held_commits.h"
#include "store/store.h"

namespace dray::control_plane {

/// Named like kube-apiserver's flags where it has them.
struct StoreChoice {
  std::string data_folder;
  bool memory = false;                    // --memory
  std::vector<std::string> etcd_servers;  // --etcd-servers; empty: no etcd
  std::string etcd_ca_file, etcd_certificate_file, etcd_key_file;
  /// --etcd-compaction-interval, 0 for never. Absent: etcd is compacted every five minutes, and a
  /// server serves lists of the history that fits into its window.
  std::optional<std::chrono::nanoseconds> compaction_interval;
};

/// Errors: kBadRequest  options that exclude each other or miss a partner, by name.
Result<> CheckStoreChoice(const StoreChoice& choice);

struct OpenedStore {
  std::unique_ptr<store::Store> store;
  store::CommitHolder* holder = nullptr;  // the same store, if it waits for a disk
};

/// Opens the store, whose values are decoded to objects. A new store gets a random identity.
/// Precondition: CheckStoreChoice. Errors: those of the implementation, each with the file or
/// server and the remedy.
Result<OpenedStore> OpenStore(World& world, Log log, const StoreChoice& choice);

/// "in memory, and are gone when it stops": the place of the objects, for the line that a server
/// prints when it is ready.
std::string WhereObjectsAre(const StoreChoice& choice);

}  // namespace dray::control_plane
