// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/namespace.h"
#include "api/custom_kind.h"
#include "api/feature_gates.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/verbs/context/conversion_memo.h"

namespace dray::server::verbs::inline context {

std::string Call::key() const {
  return storage::ObjectKey(hub(), request->namespace_, request->name);
}

storage::View Call::worked_on() const {
  return api::IsCustom(kind()) ? view() : storage();
}

Result<SeenNamespace> NamespaceOf(const store::Snapshot& snapshot,
                                  const api::KindInfo& kind,
                                  std::string_view namespace_) {
  if (!kind.namespaced) return SeenNamespace();
  const api::KindInfo& namespaces = api::Reflected<api::core_v1::Namespace>::kKind;
  const store::Record* record = snapshot.Find(storage::NamespaceKey(namespace_));
  if (record == nullptr) return Fail(errors::NotFound(namespaces, namespace_));
  DRAY_TRY(auto item, storage::ItemOf(storage::View::OfStorage(namespaces), *record));
  return SeenNamespace{.record = record, .item = std::move(item)};
}

void Annotate(const Call& call, std::string key, std::string value) {
  if (call.annotations == nullptr) return;
  call.annotations->push_back({.key = std::move(key), .value = std::move(value)});
}

void WarnLeftOut(const Call& call, const std::vector<std::string>& reasons) {
  const size_t shown = std::min(reasons.size(), kLeftOutMax);
  for (size_t i = 0; i < shown; ++i) call.warnings->push_back("left out: " + reasons[i]);
  if (shown == reasons.size()) return;
  call.warnings->push_back(
      fmt::format("left out: {} more that cannot be decoded", reasons.size() - shown));
}

Result<std::optional<storage::Item>> ItemAskedFor(const Call& call,
                                                  storage::View view,
                                                  const store::Record& record) {
  Result<std::optional<storage::Item>> item = storage::ItemOf(view, record);
  if (item.has_value() || !call.core->options.rules.Has(api::Gate::kUnsafeDeletion)) return item;
  Error error = std::move(item.error());
  error.message += "; DELETE with ignoreStoreReadErrorWithClusterBreakingPotential=true removes it";
  return Fail(std::move(error));
}

api::CustomConverter* ConverterOf(const Call& call) {
  return MayNeedWebhook(call.kind()) ? call.conversions : nullptr;
}

api::managed_fields::Write WriterOf(const Call& call, registry::Subresource subresource) {
  const ResourceRequest& request = *call.request;
  const std::string& manager = request.write.field_manager;
  std::optional<api::Time> now = api::Time::Of(call.now());
  if (request.subresource == "scale") now.reset();  // upstream's entries of it have no time
  // Without the subresource status, the status is an ordinary field that the writer owns.
  const bool is_all_his = api::IsCustom(call.kind()) && !call.kind().has_status;
  return {.manager = manager.empty() ? "unknown" : manager,
          .subresource = request.subresource,
          .versions = {.kinds = call.core->scheme.first().kinds(),
                       .kind = request.kind,
                       .release = request.release,
                       .converter = ConverterOf(call)},
          .reset = is_all_his ? nullptr
                              : &registry::ResetFields(
                                    registry::StrategyOf(call.hub()), subresource, request.release),
          .now = now};
}

registry::WriteContext WriteContextOf(const Call& call,
                                      registry::Subresource subresource,
                                      const SeenNamespace& namespace_) {
  const bool is_server = subresource == registry::Subresource::kBinding;
  const User& user = call.request->user;
  return {.now = call.now(),
          .requester = {.name = user.name, .uid = user.uid, .groups = user.groups},
          .subresource = subresource,
          .owners = is_server ? registry::Owners::kAsStored : registry::Owners::kOfUpdate,
          .writer = WriterOf(call, subresource),
          .options = call.core->options.rules.For(
              call.kind(), namespace_.item.has_value() ? &namespace_.item->object : nullptr)};
}

}  // namespace dray::server::verbs::inline context
