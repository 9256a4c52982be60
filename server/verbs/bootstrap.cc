// SPDX-License-Identifier: Apache-2.0
// What every new server has.
#include <string>
#include <utility>

#include "api/core_v1/namespace.h"
#include "server/verbs/resources.h"
#include "server/verbs/verbs.h"

namespace dray::server::verbs {

Task<> Resources::Bootstrap() {
  constexpr std::string_view kNamespaces[] = {
      "default", "kube-system", "kube-public", "kube-node-lease"};
  for (const std::string_view name : kNamespaces) {
    api::core_v1::Namespace object;
    object.metadata.name = name;
    ResourceRequest request;
    request.verb = Verb::kCreate;
    request.kind = &api::Reflected<api::core_v1::Namespace>::kKind;
    request.write.field_manager = "kube-apiserver";
    request.body = api::Object::Of(std::move(object));
    DRAY_CO_TRY(const Answer answer, co_await Handle(std::move(request)));
    const bool there =
        answer.outcome.has_value() || answer.outcome.error().reason == StatusReason::kAlreadyExists;
    if (!there) co_return std::unexpected(answer.outcome.error());
  }
  CatchUp();
  co_return {};
}

}  // namespace dray::server::verbs
