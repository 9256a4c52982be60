// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/served_files.h"

#include <utility>

#include <fmt/format.h>

#include "api/object.h"
#include "base/task.h"
#include "base/try.h"
#include "cli/dashboard/dashboard.h"
#include "cli/input/live_input.h"
#include "manifests/objects.h"
#include "planning/objects/offline_objects.h"
#include "server/http/authentication.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/store.h"

namespace dray::cli::inline dashboard {
namespace {

constexpr std::string_view kUser = "reader of files";

/// Nothing is known of a server: the rules are those of the nodes' release.
LiveInput NoFacts() {
  return {.read = {}, .namespace_ = {}, .listed = {}};
}

}  // namespace

ServedFiles::ServedFiles(World& world, const Log& log)
    : pages_(MakeDashboard(world, NoFacts())),
      resources_(scheme_, store_, world, log, {.exclusive_devices = false, .workers = &workers_}) {}

Result<std::unique_ptr<ServedFiles>> ServedFiles::Read(World& world,
                                                       const Log& log,
                                                       const std::vector<std::string>& paths,
                                                       std::string_view token) {
  std::unique_ptr<ServedFiles> served(new ServedFiles(world, log));
  DRAY_TRY_VOID(served->Keep(world, paths));
  DRAY_TRY_VOID(served->Serve(world, log, token));
  return served;
}

Result<> ServedFiles::Keep(World& world, const std::vector<std::string>& paths) {
  DRAY_TRY(manifests::Manifests read, manifests::ReadManifests(world.disk, scheme_, paths));
  notes_ = std::move(read.notes);
  for (const manifests::ManifestObject& one : read.objects) {
    if (one.object.metadata().name.empty()) {
      notes_.push_back(fmt::format("{}: skipped: it has no name", manifests::PlaceOf(one)));
      continue;
    }
    api::Object object = planning::AsStored(world, one.object, kDefaultNamespace);
    api::meta_v1::ObjectMeta& metadata = object.mutable_metadata();
    metadata.resource_version.clear();
    const std::string key =
        server::storage::ObjectKey(object.kind(), metadata.namespace_, metadata.name);
    store::Txn txn;
    txn.operations.emplace_back(store::Put{
        .key = key,
        .value = server::storage::ValueOf(server::storage::MakeStored(std::move(object)))});
    const auto kept = store_.CommitAndWait(std::move(txn));
    if (!kept) {
      return Fail(kept.error().reason,
                  fmt::format("{}: {}", manifests::PlaceOf(one), kept.error().message));
    }
    ++objects_;
  }
  if (objects_ > 0) return {};
  return Fail(StatusReason::kBadRequest, "the files hold no objects that Dray knows");
}

Result<> ServedFiles::Serve(World& world, const Log& log, std::string_view token) {
  DRAY_TRY_VOID(Wait(resources_.Bootstrap()));
  DRAY_TRY(server::http::Authenticator users,
           server::http::Authenticator::FromTokenFile(
               fmt::format("{},{},ui,\"system:masters\"\n", token, kUser), world.random.Next()));
  users.RefuseAnonymous();
  api_ = std::make_unique<server::http::HttpApi>(
      resources_,
      world,
      log,
      server::http::HttpApiOptions{.authenticator = std::move(users), .pages = pages_});
  return {};
}

}  // namespace dray::cli::inline dashboard
