// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/service_account.h"

#include <string>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/core_v1/service_account.h"
#include "api/generate_name.h"
#include "api/pods/life.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/pod_account.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::Pod;
using api::core_v1::ServiceAccount;

constexpr const api::KindInfo& kServiceAccounts = api::Reflected<ServiceAccount>::kKind;

}  // namespace

Result<> GiveAccount(const Call& call,
                     const store::Snapshot& snapshot,
                     const Write& write,
                     api::Object* object) {
  if (!write.subresource.empty() || object == nullptr) return {};
  const auto* const pod = object->If<Pod>();
  if (pod == nullptr) return {};
  if (api::pods::IsMirror(pod->metadata)) return registry::CheckMirror(*object);
  const std::string name = pod->spec.service_account_name.empty()
                               ? std::string(registry::kDefaultAccount)
                               : pod->spec.service_account_name;
  const std::string& namespace_name = pod->metadata.namespace_;
  const store::Record* const record =
      snapshot.Find(storage::ObjectKey(kServiceAccounts, namespace_name, name));
  if (record != nullptr) {
    DRAY_TRY(const auto item, storage::ItemOf(storage::View::OfStorage(kServiceAccounts), *record));
    if (item.has_value()) {
      return registry::AdmitAccount(
          {.account = item->object.As<ServiceAccount>(),
           .volume = api::GenerateName(registry::kTokenVolume, call.core->world.random)},
          *object);
    }
  }
  return Fail(errors::Forbidden(object->kind(),
                                errors::NameInAdmission(object->metadata()),
                                fmt::format("error looking up service account {}/{}: "
                                            "serviceaccount \"{}\" not found",
                                            namespace_name,
                                            name,
                                            name)));
}

}  // namespace dray::server::verbs::admission
