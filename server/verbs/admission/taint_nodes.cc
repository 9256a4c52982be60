// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/taint_nodes.h"

#include "api/core_v1/node.h"
#include "api/defaults/defaults.h"

namespace dray::server::verbs::admission {

Result<> TaintNewNode(const Call& /*call*/,
                      const store::Snapshot& /*snapshot*/,
                      const Write& write,
                      api::Object* object) {
  if (!write.subresource.empty() || object == nullptr) return {};
  if (object->If<api::core_v1::Node>() == nullptr) return {};
  api::defaults::TaintNewNode(object->Mutable<api::core_v1::Node>());
  return {};
}

}  // namespace dray::server::verbs::admission
