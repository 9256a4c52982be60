// SPDX-License-Identifier: Apache-2.0
// What the verbs share.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/text/go_quote.h"
#include "server/errors.h"
#include "server/keys.h"
#include "server/stored_object.h"
#include "server/verbs.h"

namespace dray::server {
namespace {

// Events tell what happened lately; each write renews its event.
constexpr std::chrono::hours kEventLife{1};

bool Expires(const api::KindInfo& kind) {
  return kind.kind == "Event";
}

}  // namespace

std::string Call::key() const {
  return ObjectKey(hub(), request->namespace_name, request->name);
}

Task<store::CommitOutcome> Commit(store::Store* store, store::Txn txn) {
  auto start = [store, &txn](auto done) { store->Commit(std::move(txn), std::move(done)); };
  co_return co_await FromCallback<Result<store::CommitOutcome>>(std::move(start));
}

Task<Frozen<store::Snapshot>> ReadNewest(store::Store* store) {
  auto start = [store](auto done) { store->Sync(std::move(done)); };
  const Result<Revision> synced = co_await FromCallback<Result<Revision>>(std::move(start));
  if (!synced.has_value()) co_return std::unexpected(synced.error());
  co_return store->Read();
}

store::Put PutOf(const Core& core,
                 const api::KindInfo& kind,
                 std::string key,
                 Frozen<store::Value> stored) {
  store::Put put{.key = std::move(key), .value = std::move(stored)};
  if (Expires(kind)) put.expiry = core.world.clock.Now() + kEventLife;
  return put;
}

Result<std::optional<Item>> NamespaceOf(const store::Snapshot& snapshot,
                                        const api::KindInfo& kind,
                                        std::string_view namespace_name) {
  if (!kind.namespaced) return std::nullopt;
  const api::KindInfo& spaces = api::Reflected<api::core_v1::Namespace>::kKind;
  const store::Record* record = snapshot.Find(NamespaceKey(namespace_name));
  if (record == nullptr) return Fail(NotFound(spaces, namespace_name));
  return ItemOf(View::OfStorage(spaces), *record);
}

Result<std::optional<uint64_t>> ParseVersion(std::string_view text) {
  if (text.empty()) return std::nullopt;
  uint64_t version = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, version);
  if (error == std::errc() && rest == end) return version;
  const std::string_view why = error == std::errc::result_out_of_range && rest == end
                                   ? "value out of range"
                                   : "invalid syntax";
  return Fail(Untyped(fmt::format("strconv.ParseUint: parsing {}: {}", api::GoQuote(text), why)));
}

void SetDefaults(const Call& call, api::Object& object) {
  const KindRules& rules = call.core->options.rules.Of(call.kind());
  if (rules.set_defaults) {
    rules.set_defaults(object,
                       {.now = call.core->world.clock.Now(), .release = call.request->release});
  }
}

void AddWarnings(const Call& call, const api::Object& object, const api::Object* old) {
  const KindRules& rules = call.core->options.rules.Of(call.hub());
  if (!rules.warnings) return;
  std::vector<std::string> texts = rules.warnings(object, old);
  std::ranges::move(texts, std::back_inserter(*call.warnings));
}

}  // namespace dray::server
