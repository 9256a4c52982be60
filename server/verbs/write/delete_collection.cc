// SPDX-License-Identifier: Apache-2.0
// Deletecollection: a list, then one deletion after the other, not one transaction. An object that
// another client has deleted meanwhile counts as deleted; any other error ends the request. An
// object that cannot be read is left out of the list, with a warning, and stays.
#include <utility>

#include "base/try.h"
#include "server/verbs/read/read.h"
#include "server/verbs/write/delete_options.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {

Task<Outcome> DeleteCollection(Call call) {
  const Deletion deletion = IsUnsafeDeletion(call) ? Deletion::kUnsafe : Deletion::kUsual;
  DRAY_CO_TRY_VOID(CheckDeleteOptions(call.request->delete_options, deletion));
  if (deletion == Deletion::kUnsafe) co_return Fail(NoUnsafeCollections());
  DRAY_CO_TRY(Outcome listed, co_await List(call));
  auto& list = std::get<ListAnswer>(listed);
  for (const storage::Item& item : list.items) {
    ResourceRequest one = *call.request;
    one.verb = Verb::kDelete;
    one.namespace_ = item.object.metadata().namespace_;
    one.name = item.object.metadata().name;
    const Call inner{.core = call.core,
                     .request = &one,
                     .session = call.session,
                     .warnings = call.warnings,
                     .annotations = call.annotations,
                     .conversions = call.conversions,
                     .of_collection = true};
    const Result<Outcome> deleted = co_await DeleteOne(inner);
    if (!deleted.has_value() && deleted.error().reason != StatusReason::kNotFound) {
      co_return Fail(deleted.error());
    }
  }
  co_return listed;
}

}  // namespace dray::server::verbs::inline write
