// SPDX-License-Identifier: Apache-2.0
#include "control_plane/store_choice.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "server/storage/stored_object.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/memory_store.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/sqlite_store.h"

namespace dray::control_plane {
namespace {

// The window of history. What new objects are made of counts as live, so 400,000 may come before a
// watch that has read none of them must list again; objects that change leave 40,000 versions,
// which keep 0.6 kB each when they are packed (server/storage/packing.h).
constexpr size_t kEventsMax = 400'000;
constexpr size_t kEventBytesMax = size_t{24} << 20;

Failure Refuse(std::string_view why) {
  return Fail(StatusReason::kBadRequest, std::string(why));
}

Result<std::unique_ptr<store::Store>> OpenEtcd(World& world,
                                               Log log,
                                               const StoreChoice& choice,
                                               const store::Options& options) {
  store::etcd::EtcdOptions etcd{.endpoints = choice.etcd_servers,
                                .ca_file = choice.etcd_ca_file,
                                .certificate_file = choice.etcd_certificate_file,
                                .key_file = choice.etcd_key_file};
  if (choice.compaction_interval) {
    etcd.compaction_interval =
        std::chrono::duration_cast<std::chrono::milliseconds>(*choice.compaction_interval);
  }
  return store::etcd::EtcdStore::Open(world, std::move(log), etcd, options);
}

}  // namespace

Result<> CheckStoreChoice(const StoreChoice& choice) {
  const bool etcd = !choice.etcd_servers.empty();
  if (choice.memory && etcd) return Refuse("--memory and --etcd-servers exclude each other");
  const bool tls = !choice.etcd_ca_file.empty() || !choice.etcd_certificate_file.empty() ||
                   !choice.etcd_key_file.empty();
  if (tls && !etcd)
    return Refuse("--etcd-cafile, --etcd-certfile and --etcd-keyfile need --etcd-servers");
  if (choice.etcd_certificate_file.empty() != choice.etcd_key_file.empty()) {
    return Refuse("--etcd-certfile and --etcd-keyfile go together");
  }
  return {};
}

Result<OpenedStore> OpenStore(World& world, Log log, const StoreChoice& choice) {
  store::Options options;
  options.read_value = server::storage::ReadStored;
  options.new_id = world.random.Next();
  options.events_max = kEventsMax;
  options.event_bytes_max = kEventBytesMax;
  OpenedStore opened;
  if (!choice.etcd_servers.empty()) {
    DRAY_TRY(opened.store, OpenEtcd(world, std::move(log), choice, options));
  } else if (choice.memory) {
    opened.store = std::make_unique<store::MemoryStore>(options);
  } else {
    DRAY_TRY(auto in_file, store::sqlite::SqliteStore::Open(choice.data_folder, options));
    opened.holder = in_file.get();
    opened.store = std::move(in_file);
  }
  return opened;
}

std::string WhereObjectsAre(const StoreChoice& choice) {
  if (!choice.etcd_servers.empty()) {
    return fmt::format("in etcd at {}", fmt::join(choice.etcd_servers, ", "));
  }
  if (choice.memory) return "in memory, and are gone when it stops";
  return fmt::format("in {}", store::sqlite::StoreFile(choice.data_folder));
}

}  // namespace dray::control_plane
