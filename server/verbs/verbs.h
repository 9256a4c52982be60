// SPDX-License-Identifier: Apache-2.0
// The verbs behind Resources, one source file each.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "server/registry/write.h"
#include "server/storage/write_sequence.h"
#include "server/verbs/call.h"
#include "server/verbs/request.h"
#include "server/verbs/watch_cursor.h"
#include "server/verbs/watch_hub.h"

namespace dray::server::verbs {

/// Carries out a request; `sequence`, where there is one, gets its first write as a step.
Task<Answer> CarryOut(const Core* core, ResourceRequest request, storage::WriteSequence* sequence);

Task<Outcome> Get(Call call);
Task<Outcome> List(Call call);
Task<Outcome> Create(Call call);
/// Creates `wish`, an object of the call's version; `owners` tells who owns it then. `again` makes
/// the wish once more: for another try, where a name was taken or the namespace changed meanwhile.
Task<Outcome> CreateObject(Call call,
                           api::Object wish,
                           registry::Owners owners,
                           const std::function<Result<api::Object>()>* again);
/// Also of the subresources "status" and "finalize".
Task<Outcome> Update(Call call);
Task<Outcome> Patch(Call call);
/// Server-side apply; creates what is not there, unless it goes through a subresource.
Task<Outcome> Apply(Call call);
/// DeleteOne or DeleteUnreadable.
Task<Outcome> Delete(Call call);
Task<Outcome> DeleteOne(Call call);
Task<Outcome> DeleteCollection(Call call);
/// Whether a deletion is of an object that cannot be read, and the gate for that is on.
bool IsUnsafeDeletion(const Call& call);
/// Deletes an object that cannot be read, whatever holds it; refuses to delete any other.
Task<Outcome> DeleteUnreadable(Call call);
/// Create on "pods/binding" and on "bindings".
Task<Outcome> Bind(Call call);
/// Get, update and patch of the subresource "scale".
Task<Outcome> ServeScale(Call call);
/// Create on "pods/eviction".
Task<Outcome> Evict(Call call);
/// Whether objects of `kind` are questions: answered, and never stored.
bool IsReview(const api::KindInfo& kind);
/// Create of a review.
Task<Outcome> Review(Call call);
/// Whether a subresource (log, exec, proxy, …) is answered by what runs on a node.
bool NeedsRunningContainers(std::string_view subresource);
/// Refuses such a subresource of an object that is there.
Task<Outcome> RefuseSimulated(Call call);

/// `hub` outlives the cursor.
Result<std::unique_ptr<WatchCursor>> OpenWatch(const Core& core,
                                               WatchHub& hub,
                                               const ResourceRequest& request);

}  // namespace dray::server::verbs
