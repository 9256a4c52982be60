// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/controllers/own_request.h"

#include <string>
#include <utility>

#include "base/task.h"
#include "base/try.h"
#include "server/access/rbac.h"
#include "server/storage/write_session.h"
#include "server/verbs/context/first_objects.h"

namespace dray::server::verbs::inline controllers {

ResourceRequest OwnRequest(Verb verb, const api::KindInfo& kind, std::string_view name) {
  constexpr std::string_view kManager = "kube-apiserver";
  ResourceRequest request;
  request.verb = verb;
  request.kind = &kind;
  request.name = name;
  request.user = User{.name = {}, .uid = {}, .groups = {std::string(access::kMasters)}};
  request.write.field_manager = kManager;
  return request;
}

Result<> CarryOutOwnRequest(const Core& core, ResourceRequest request) {
  storage::WriteSession session(core.store, {.workers = core.options.workers});
  DRAY_TRY(const Answer answer, Wait(CarryOutOwn(&core, &session, std::move(request))));
  if (answer.outcome.has_value()) return {};
  const StatusReason reason = answer.outcome.error().reason;
  const bool is_late = reason == StatusReason::kConflict || reason == StatusReason::kNotFound ||
                       reason == StatusReason::kAlreadyExists;
  return is_late ? Result<>() : Fail(answer.outcome.error());
}

}  // namespace dray::server::verbs::inline controllers
