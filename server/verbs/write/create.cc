// SPDX-License-Identifier: Apache-2.0
// Create: decode, default, prepare, validate, then put on the condition that the key is absent. The
// same transaction compares the namespace, so that nothing is created in a namespace that is being
// deleted, and charges the quotas.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "api/custom_kind.h"
#include "api/generate_name.h"
#include "api/meta_v1/object_meta.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/metadata_rules.h"
#include "server/registry/write.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/storage/transactions.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/admission/plugin_set.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/context/rights.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/tokens/service_accounts.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {
namespace {

Error OtherNamespace() {
  return errors::BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request");
}

// Whether upstream's store takes it for a version: it passes over what is no number.
bool NamesVersion(std::string_view text) {
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), version);
  return error == std::errc() && end == text.end() && version != 0;
}

// The last check before an object is stored; a dry run leaves the check out.
Result<> DropVersion(const Call& call, api::meta_v1::ObjectMeta& meta) {
  if (NamesVersion(meta.resource_version) && !call.request->write.dry_run) {
    return Fail(errors::Untyped("resourceVersion should not be set on objects to be created"));
  }
  meta.resource_version.clear();
  return {};
}

// Puts the URL's namespace into the object, or refuses another one.
Result<> PlaceInNamespace(const Call& call, api::meta_v1::ObjectMeta& meta) {
  const std::string& asked = call.request->namespace_;
  if (!call.kind().namespaced || meta.namespace_.empty()) {
    meta.namespace_ = call.kind().namespaced ? asked : "";
    return {};
  }
  if (meta.namespace_ == asked) return {};
  return Fail(OtherNamespace());
}

Error InTheWayOf(const Call& call, std::string_view name, const store::Record& record) {
  const Result<std::optional<storage::Item>> read = storage::ItemOf(call.storage(), record);
  if (!read.has_value()) {
    Error error = errors::AlreadyExists(call.kind(), name, errors::InTheWay::kAlive);
    error.message += " and cannot be read";
    return error;
  }
  const std::optional<storage::Item>& there = *read;
  if (!there.has_value()) {
    Error error = errors::AlreadyExists(call.kind(), name, errors::InTheWay::kAlive);
    error.message += fmt::format(" and is served as {}", storage::StoredVersion(record));
    return error;
  }
  const bool going = there->object.metadata().deletion_timestamp.has_value();
  return errors::AlreadyExists(
      call.kind(), name, going ? errors::InTheWay::kTerminating : errors::InTheWay::kAlive);
}

// The answer to a dry run: the object as it would have been stored.
Result<Outcome> DryRun(const Call& call,
                       const store::Snapshot& snapshot,
                       const std::string& key,
                       const storage::StoredObject& stored,
                       std::string_view name) {
  if (const store::Record* record = snapshot.Find(key)) {
    return Fail(InTheWayOf(call, name, *record));
  }
  return ObjectAnswer{.code = 201, .item = stored.Unversioned(call.view())};
}

struct Attempt {
  // One of the two: the outcome, or the record that already has the key. Neither when the namespace
  // or a quota changed in between.
  std::optional<Outcome> outcome = std::nullopt;
  Frozen<store::Record> in_the_way = nullptr;
  std::string name = {};  // of the object
};

bool WantsName(const api::meta_v1::ObjectMeta& meta) {
  return meta.name.empty() && !meta.generate_name.empty();
}

// The compares of a put at `key`: the key is absent, and the namespace is unchanged.
store::Txn TxnAround(const std::string& key, const store::Record* namespace_) {
  store::Txn txn;
  txn.compares.reserve(2);
  txn.compares.push_back({.key = key, .modified = store::kAbsent});
  if (namespace_ != nullptr) {
    txn.compares.push_back(
        {.key = std::string(namespace_->key()), .modified = namespace_->modified});
  }
  return txn;
}

// Refuses changes by webhooks to the namespace or resourceVersion of a new object.
Result<> CheckPlugged(const Call& call, const api::Object& object) {
  const api::meta_v1::ObjectMeta& meta = object.metadata();
  const bool is_elsewhere = call.kind().namespaced && meta.namespace_ != call.request->namespace_;
  if (is_elsewhere) return Fail(OtherNamespace());
  return {};
}

registry::WriteContext BeginNew(const Call& call,
                                const SeenNamespace& seen,
                                registry::Owners owners,
                                api::Object& object) {
  registry::WriteContext context = WriteContextOf(call, registry::Subresource::kNone, seen);
  context.uid = NewUuid(call.core->world.random);
  context.owners = owners;
  registry::BeginCreate(object, context);
  return context;
}

// Has at hand what BeginNew() needs where the client says who owns fields of other versions.
Task<> FetchForOwners(const Call* call,
                      const SeenNamespace* seen,
                      registry::Owners owners,
                      const api::Object* object) {
  for (bool is_again = true; is_again;) {
    api::Object probe = object->Clone();
    (void)BeginNew(*call, *seen, owners, probe);
    DRAY_CO_TRY(is_again, co_await FetchConversions(call));
  }
  co_return {};
}

// The object as it would be stored; its name is made after the plugins that change objects, so that
// their refusals show the prefix.
Result<> CompleteNew(const Call& call, const registry::WriteContext& context, api::Object& object) {
  const Core& core = *call.core;
  DRAY_TRY_VOID(CheckPlugged(call, object));
  DRAY_TRY_VOID(CheckWriter(core.rights.get(), *call.request, object, nullptr));
  if (WantsName(object.metadata())) {
    api::meta_v1::ObjectMeta& meta = object.mutable_metadata();
    meta.name = api::GenerateName(meta.generate_name, core.world.random);
  }
  const registry::Strategy& strategy = registry::StrategyOf(call.hub());
  DRAY_TRY(registry::Warnings warnings, registry::BeforeCreate(strategy, object, context));
  std::ranges::move(warnings, std::back_inserter(*call.warnings));
  return CheckCreator(core.rights.get(), *call.request);
}

// Tries to put `object`, which belongs to the attempt alone.
Task<Attempt> Put(Call call, api::Object object, registry::Owners owners) {
  const Core& core = *call.core;
  const api::KindInfo& kind = call.hub();
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  const std::string namespace_ = object.metadata().namespace_;
  DRAY_CO_TRY(const SeenNamespace seen, NamespaceOf(*snapshot, kind, namespace_));
  if (!object.metadata().managed_fields.empty() && MayNeedWebhook(object.kind())) {
    DRAY_CO_TRY_VOID(co_await FetchForOwners(&call, &seen, owners, &object));
  }
  const registry::WriteContext context = BeginNew(call, seen, owners, object);
  const admission::Write begun{.object = &object, .in = &seen};
  DRAY_CO_TRY_VOID(co_await admission::Admit(call, snapshot, begun, &object));
  DRAY_CO_TRY_VOID(CompleteNew(call, context, object));
  const std::string name = object.metadata().name;
  const std::string key = storage::ObjectKey(kind, namespace_, name);
  store::Txn txn = TxnAround(key, seen.record);
  const admission::Write write{.object = &object, .in = &seen, .txn = &txn};
  DRAY_CO_TRY_VOID(co_await admission::Validate(call, snapshot, write));
  DRAY_CO_TRY_VOID(DropVersion(call, object.mutable_metadata()));
  DRAY_CO_TRY(const Frozen<storage::StoredObject> stored,
              co_await StoredFor(call, std::move(object)));
  if (call.request->write.dry_run) {
    DRAY_CO_TRY(Outcome outcome, DryRun(call, *snapshot, key, *stored, name));
    co_return Attempt{.outcome = std::move(outcome), .name = name};
  }
  txn.operations.insert(txn.operations.begin(), storage::PutOf(key, stored, core.event_end()));
  DRAY_CO_TRY(const store::CommitOutcome committed, co_await call.session->Commit(std::move(txn)));
  if (const auto* conflict = std::get_if<store::Conflict>(&committed)) {
    const store::Conflict::Mismatch& first = conflict->mismatches.front();
    co_return Attempt{.in_the_way = first.key == key ? first.current : nullptr, .name = name};
  }
  const bool is_own = call.request->user->name.empty();  // an object of a new cluster
  if (core.idle_kinds != nullptr && !is_own) core.idle_kinds->Report(kind, *call.warnings);
  const store::Record& record = *std::get<store::Committed>(committed).records.front();
  co_return Attempt{
      .outcome = ObjectAnswer{.code = 201, .item = stored->At(call.view(), record.modified)},
      .name = name};
}

// `requested` in stored form, in the namespace of the URL.
Result<api::Object> Placed(const Call& call, api::Object requested, registry::Owners owners) {
  api::Object object = registry::ForStore(std::move(requested), call.request->release, call.now());
  api::meta_v1::ObjectMeta& meta = object.mutable_metadata();
  DRAY_TRY_VOID(PlaceInNamespace(call, meta));
  // Upstream's server of custom kinds ignores the resourceVersion of an applied configuration.
  if (api::IsCustom(call.kind()) && owners == registry::Owners::kDecided) {
    meta.resource_version.clear();
  }
  registry::DropDuplicateOwners(meta, *call.warnings);
  return object;
}

// Refuses creates of a custom kind whose definition is being deleted.
Result<> CheckNotGoing(const api::KindInfo& kind, std::string_view name) {
  const api::CustomKind* custom = api::CustomOf(kind);
  if (custom == nullptr || !custom->resource().versions.Load()->is_terminating) return {};
  return Fail(errors::Forbidden(
      kind, name, "create not allowed while custom resource definition is terminating"));
}

bool MakesAccount(const Call& call) {
  return call.hub().plural == "namespaces" && call.hub().group.empty() &&
         !call.request->write.dry_run && AreAccountsMade(call.core->options);
}

}  // namespace

Task<Outcome> Create(Call call) {
  DRAY_CO_TRY(api::Object requested, DecodeBody(call, call.kind()));
  const std::function<Result<api::Object>()> again = [&call] {
    return DecodeAgain(call, call.kind());
  };
  co_return co_await CreateObject(call, std::move(requested), registry::Owners::kOfUpdate, &again);
}

Task<Outcome> CreateObject(Call call,
                           api::Object requested,
                           registry::Owners owners,
                           const std::function<Result<api::Object>()>* again) {
  const Core& core = *call.core;
  DRAY_CO_TRY_VOID(CheckNotGoing(call.kind(), requested.metadata().name));
  const size_t warnings_before = call.warnings->size();
  for (int tries = 1;;) {
    DRAY_CO_TRY(api::Object object, Placed(call, std::move(requested), owners));
    const bool generated = WantsName(object.metadata());
    DRAY_CO_TRY(Attempt attempt, co_await Put(call, std::move(object), owners));
    const std::string name = std::move(attempt.name);
    if (attempt.outcome.has_value()) {
      // Clients may create pods immediately. The next start of the server creates what fails here.
      if (MakesAccount(call)) (void)co_await MakeAccount(call.core, call.session, name);
      co_return *std::move(attempt.outcome);
    }
    // Otherwise only the namespace or a quota changed: try again.
    if (attempt.in_the_way != nullptr && ++tries > core.options.generate_name_tries && generated) {
      co_return Fail(errors::NoNameFree(call.kind(), name));
    }
    if (attempt.in_the_way != nullptr && !generated) {
      co_return Fail(InTheWayOf(call, name, *attempt.in_the_way));
    }
    call.warnings->resize(warnings_before);  // drops those of the failed attempt
    DRAY_CO_TRY(requested, (*again)());
  }
}

}  // namespace dray::server::verbs::inline write
