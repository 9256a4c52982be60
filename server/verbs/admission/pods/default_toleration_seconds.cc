// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/default_toleration_seconds.h"

#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"

namespace dray::server::verbs::admission::inline pods {

Result<> TolerateTroubles(const Call& /*call*/,
                          const store::Snapshot& /*snapshot*/,
                          const Write& write,
                          api::Object* object) {
  if (!write.subresource.empty() || object == nullptr) return {};
  if (object->If<api::core_v1::Pod>() == nullptr) return {};
  api::defaults::TolerateTroubles(object->Mutable<api::core_v1::Pod>());
  return {};
}

}  // namespace dray::server::verbs::admission::inline pods
