// SPDX-License-Identifier: Apache-2.0
// Where objects are kept: in a file of the data folder, in etcd, or in memory.
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

/// The options have kube-apiserver's names where it has them.
struct StoreChoice {
  std::string data_folder;
  bool memory = false;                    // --memory
  std::vector<std::string> etcd_servers;  // --etcd-servers; empty: no etcd
  std::string etcd_ca_file, etcd_certificate_file, etcd_key_file;
  /// --etcd-compaction-interval, 0 for never. None: etcd is compacted every five minutes, and
  /// servers list what fits into their window of history.
  std::optional<std::chrono::nanoseconds> compaction_interval;
};

/// Errors: kBadRequest  options that exclude each other or miss a partner, by name.
Result<> CheckStoreChoice(const StoreChoice& choice);

struct OpenedStore {
  std::unique_ptr<store::Store> store;
  store::CommitHolder* holder = nullptr;  // the same, where it waits for a disk
};

/// Opens the store, whose values are read back as objects. A new one gets an identity by chance.
/// Precondition: CheckStoreChoice. Errors: those of the implementation, each with the file or
/// server it is about and what to do.
Result<OpenedStore> OpenStore(World& world, Log log, const StoreChoice& choice);

/// "in memory, and are gone when it stops": where the objects are, for the line that says a server
/// is ready.
std::string WhereObjectsAre(const StoreChoice& choice);

}  // namespace dray::control_plane
