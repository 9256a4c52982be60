// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/deny_external_ips.h"

#include <algorithm>
#include <string>

#include "api/core_v1/service.h"
#include "server/errors/errors.h"

namespace dray::server::verbs::admission {

Result<> CheckExternalIps(const Call& call,
                          const store::Snapshot& /*snapshot*/,
                          const Write& write) {
  const auto* const service = write.object->If<api::core_v1::Service>();
  if (service == nullptr || !write.subresource.empty()) return {};
  const auto* const old =
      write.old_object == nullptr ? nullptr : write.old_object->If<api::core_v1::Service>();
  const bool is_all_old =
      std::ranges::all_of(service->spec.external_ips, [&](const std::string& address) {
        return old != nullptr && std::ranges::count(old->spec.external_ips, address) > 0;
      });
  if (is_all_old) return {};
  return Fail(errors::Forbidden(
      call.kind(), service->metadata.name, "Use of external IPs is denied by admission control"));
}

}  // namespace dray::server::verbs::admission
