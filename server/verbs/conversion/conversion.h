// SPDX-License-Identifier: Apache-2.0
// Where requests wait for the webhook that converts objects of a custom kind.
//
// All reading is synchronous: it finds in a stored object what a webhook has made of it. So a verb
// first prepares what it is about to read (PrepareRecord, PrepareRange), which asks the webhook,
// and then reads as if there were none. What is to be written is converted by StoredFor. Code that
// cannot know beforehand what it needs, such as the owners of fields, runs with a ConversionMemo,
// and once more when the memo had to be filled.
//
// Kinds that need no webhook take none of these ways: the functions return at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/custom_kind.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/soon.h"
#include "base/task.h"
#include "base/world.h"
#include "server/storage/stored_object.h"
#include "server/storage/write_session.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/conversion_memo.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline conversion {

/// What all conversions of a request may take together where the client sets no limit.
inline constexpr std::chrono::seconds kConversionsTimeMax{60};

/// The request that waits for a conversion.
struct ConversionAsker {
  const Core* core;
  storage::WriteSession* session;  // continues on a worker afterwards
  Frozen<ShareOwner> owner;        // in whose share the call counts
  MonotonicTime latest;            // until when everything must have been answered
};
ConversionAsker AskerOf(const Call& call);

/// Objects that keep what a webhook has made of them, for as long as they are to be read.
using Prepared = std::vector<std::shared_ptr<const storage::StoredObject>>;

/// `objects`, some of one version, as `by` converts them to `to`; in one call.
/// Errors: kUnknown  in upstream's words, `conversion webhook for …`.
///         kTooManyRequests  too many calls of the webhook are under way.
Task<std::vector<api::Object>> AskForConversion(ConversionAsker asker,
                                                std::vector<api::Object> objects,
                                                const api::CustomKind* to,
                                                Frozen<api::CustomConversion> by);

/// Has `needed`, of one version, converted to that of `view`; in one call.
/// Errors: those of AskForConversion.
Task<> Convert(ConversionAsker asker,
               const api::CustomKind* to,
               std::vector<storage::Unconverted> needed);

/// Has `record` converted for the client of the call; null: there is none.
/// Errors: as AskForConversion, after `object not decodable revision=…: `. An object that cannot be
/// read at all is no error here, but when it is read.
Soon<Prepared> PrepareRecord(const Call& call,
                             const store::Record* record,
                             storage::Freshness freshness);
/// The same for an answer that shows the record. Errors: kInternalError  in upstream's words.
Soon<Prepared> PrepareShown(const Call& call, const store::Record& record);

/// Keys that begin with `prefix` and are not less than `start_key`.
struct KeyPlace {
  std::string prefix;
  std::string start_key = {};
};

/// Has at most `records_max` records of `place` converted for clients of `view`. O(records).
/// Errors: kTooManyRequests  one of them cannot be converted; in upstream's words.
Task<Prepared> PrepareRange(ConversionAsker asker,
                            storage::View view,
                            Frozen<store::Snapshot> snapshot,
                            KeyPlace place,
                            size_t records_max);

/// Whether `record`, an object of `kind`, is stored in a version that its definition has dropped.
/// O(versions).
bool IsOfDroppedVersion(const api::CustomKind& kind, const store::Record& record);
/// Errors: kTooManyRequests  an object of `kind` is; in upstream's words. O(objects).
Result<> CheckVersions(const store::Snapshot& snapshot, const api::CustomKind& kind);

/// `object`, which has no resource version and is the caller's alone, as it is stored, and as the
/// client of the call reads it then. A call that reads objects as they are stored leaves the
/// version of custom ones as it is. Errors: those of AskForConversion.
Soon<Frozen<storage::StoredObject>> StoredFor(const Call& call, api::Object object);

/// Whether the call's memo had all that it was asked for. If not, what was made with it is dropped.
inline bool HasAllConversions(const Call& call) {
  return call.conversions == nullptr || call.conversions->is_complete();
}

/// Asks for the objects that the call's memo was asked for and did not have. True if there were
/// any: the caller then runs its code once more, and calls this again.
/// Errors: those of AskForConversion; kInternalError  more than ConversionMemo::kObjectsMax.
Soon<bool> FetchConversions(const Call* call);

}  // namespace dray::server::verbs::inline conversion
