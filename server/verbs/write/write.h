// SPDX-License-Identifier: Apache-2.0
// The verbs that write objects, one source file each.
#pragma once

#include <functional>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "server/registry/write.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::inline write {

Task<Outcome> Create(Call call);
/// Creates `requested`, an object of the call's version. Its managed fields are owned as `owners`
/// says. `again`, if not null, makes the requested object once more, for another try: a generated
/// name was taken, or the namespace has changed.
Task<Outcome> CreateObject(Call call,
                           api::Object requested,
                           registry::Owners owners,
                           const std::function<Result<api::Object>()>* again);
/// Also of the subresources "status" and "finalize".
Task<Outcome> Update(Call call);
Task<Outcome> Patch(Call call);
/// Server-side apply. Creates an object that does not exist, unless the request is for a
/// subresource.
Task<Outcome> Apply(Call call);
/// DeleteOne or DeleteUnreadable.
Task<Outcome> Delete(Call call);
Task<Outcome> DeleteOne(Call call);
Task<Outcome> DeleteCollection(Call call);
/// Whether a deletion is of an object that cannot be read, and the gate for that is on.
bool IsUnsafeDeletion(const Call& call);
/// Deletes an object that cannot be read, whatever holds it. Refuses to delete any other object.
Task<Outcome> DeleteUnreadable(Call call);

}  // namespace dray::server::verbs::inline write
