// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/tokens/service_accounts.h"

#include <string>
#include <utility>
#include <vector>

#include "api/core_v1/config_map.h"
#include "api/core_v1/namespace.h"
#include "base/try.h"
#include "server/access/user.h"
#include "server/registry/pod_account.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/admission/plugin_set.h"
#include "server/verbs/context/first_objects.h"

namespace dray::server::verbs::inline tokens {
namespace {

namespace core_v1 = api::core_v1;
using core_v1::ServiceAccount;

constexpr const api::KindInfo& kAccounts = api::Reflected<ServiceAccount>::kKind;
constexpr std::string_view kFieldManager = "kube-controller-manager";  // upstream's writer of them

std::vector<api::Object> ObjectsOf(const std::string& namespace_name, const std::string& trusted) {
  ServiceAccount account;
  account.metadata.name = registry::kDefaultAccount;
  account.metadata.namespace_ = namespace_name;
  core_v1::ConfigMap certificates;
  certificates.metadata.name = registry::kRootCertificates;
  certificates.metadata.namespace_ = namespace_name;
  certificates.metadata.annotations.insert_or_assign(
      "kubernetes.io/description",
      "The certificates by which pods of this namespace know the API server. Other servers that "
      "are asked under other names may show others.");
  certificates.data.insert_or_assign(std::string(registry::kRootCertificatesKey), trusted);
  std::vector<api::Object> objects;
  objects.push_back(api::Object::Of(std::move(account)));
  objects.push_back(api::Object::Of(std::move(certificates)));
  return objects;
}

}  // namespace

Task<> MakeAccount(const Core* core, storage::WriteSession* session, std::string namespace_name) {
  const std::vector<api::Object> objects = ObjectsOf(namespace_name, core->trusted_by_clients);
  for (const api::Object& object : objects) {
    ResourceRequest request;
    request.verb = Verb::kCreate;
    request.kind = &object.kind();
    request.namespace_ = namespace_name;
    request.user = User{.name = {}, .uid = {}, .groups = {std::string(access::kMasters)}};
    request.write.field_manager = kFieldManager;
    request.body = object.Clone();
    DRAY_CO_TRY(const Answer answer, co_await CarryOutOwn(core, session, std::move(request)));
    const bool is_there =
        answer.outcome.has_value() || answer.outcome.error().reason == StatusReason::kAlreadyExists;
    const Result<> made = is_there ? Result<>() : Result<>(Fail(answer.outcome.error()));
    core->own_writes->Note(NameOfWrite(object), made);
    if (!made.has_value() && !IsRefusal(made.error())) co_return made;
  }
  co_return {};
}

bool AreAccountsMade(const Options& options) {
  return options.makes_accounts && options.plugins.Has(admission::kServiceAccountPlugin);
}

bool IsForPods(const Call& call) {
  const api::KindInfo& hub = call.hub();
  if (!hub.group.empty()) return false;
  const std::string& name = call.request->name;
  const bool is_needed = (hub.plural == "serviceaccounts" && name == registry::kDefaultAccount) ||
                         (hub.plural == "configmaps" && name == registry::kRootCertificates);
  return is_needed && AreAccountsMade(call.core->options);
}

Task<> MakeAccounts(const Core* core) {
  constexpr const api::KindInfo& kNamespaces = api::Reflected<core_v1::Namespace>::kKind;
  if (!AreAccountsMade(core->options)) co_return {};
  storage::WriteSession session(core->store, {.workers = core->options.workers});
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await session.ReadNewest());
  std::vector<std::string> names;
  const std::string prefix = storage::ResourcePrefix(kNamespaces);
  for (const store::Record& record : snapshot->Range({.prefix = prefix})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kNamespaces), record);
    if (!item.has_value() || !item->has_value()) continue;
    const api::meta_v1::ObjectMeta& meta = (*item)->object.metadata();
    if (!meta.deletion_timestamp.has_value()) names.push_back(meta.name);
  }
  for (const std::string& name : names)
    DRAY_CO_TRY_VOID(co_await MakeAccount(core, &session, name));
  co_return {};
}

}  // namespace dray::server::verbs::inline tokens
