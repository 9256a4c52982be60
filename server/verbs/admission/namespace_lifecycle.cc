// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/namespace_lifecycle.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "api/core_v1/namespace.h"
#include "api/meta_v1/object_meta.h"
#include "server/errors/errors.h"

namespace dray::server::verbs::admission {
namespace {

// Namespaces without which a cluster does not work.
constexpr std::string_view kLasting[] = {"default", "kube-system", "kube-public"};

}  // namespace

Result<> AdmitToNamespace(const Call& call,
                          const store::Snapshot& /*snapshot*/,
                          const Write& write,
                          api::Object* /*object*/) {
  if (write.Is(policies::Operation::kDelete)) {
    const bool lasts = &call.hub() == &api::Reflected<api::core_v1::Namespace>::kKind &&
                       std::ranges::find(kLasting, call.request->name) != std::end(kLasting);
    if (!lasts) return {};
    return Fail(
        errors::Forbidden(call.kind(), call.request->name, "this namespace may not be deleted"));
  }
  if (write.in == nullptr || !write.in->item.has_value()) return {};
  const api::meta_v1::ObjectMeta& meta = write.in->item->object.metadata();
  if (!meta.deletion_timestamp.has_value()) return {};
  return Fail(errors::NamespaceTerminating(call.kind(), NameOf(call, write), meta.name));
}

}  // namespace dray::server::verbs::admission
