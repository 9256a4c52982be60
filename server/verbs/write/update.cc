// SPDX-License-Identifier: Apache-2.0
// Update (PUT): replaces the stored object by the client's, through the subresource in the URL.
#include <functional>
#include <utility>

#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/write/modify.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {

Task<Outcome> Update(Call call) {
  const ResourceRequest& request = *call.request;
  DRAY_CO_TRY(const registry::Subresource subresource, SubresourceOf(call));
  DRAY_CO_TRY(api::Object requested, DecodeBody(call, call.kind()));
  const bool is_named_so = requested.metadata().name == request.name;
  Modification modification;
  modification.change = [&requested, &call](const Current&) -> Result<api::Object> {
    api::Object first = std::exchange(requested, {});
    if (first.empty()) return DecodeAgain(call, call.kind());
    return first;
  };
  Result<ObjectAnswer> answer = co_await Modify(call, subresource, &modification);
  if (answer.has_value()) co_return *std::move(answer);
  const bool may_create =
      call.kind().create_on_update && subresource == registry::Subresource::kNone;
  if (answer.error().reason != StatusReason::kNotFound || !may_create || !is_named_so) {
    co_return std::move(answer).failure();
  }
  const std::function<Result<api::Object>()> again = [&call]() -> Result<api::Object> {
    DRAY_TRY(api::Object made, DecodeAgain(call, call.kind()));
    made.mutable_metadata().resource_version.clear();  // that of a deleted object
    return made;
  };
  DRAY_CO_TRY(api::Object made, again());
  co_return co_await CreateObject(call, std::move(made), registry::Owners::kOfUpdate, &again);
}

}  // namespace dray::server::verbs::inline write
