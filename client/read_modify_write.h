// SPDX-License-Identifier: Apache-2.0
// Read, modify, write: how a component changes an object that others change too.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"
#include "client/write_rounds.h"

namespace dray::client {

/// Where `object` is.
ObjectRef RefOf(const api::Object& object);

enum class Change : uint8_t { kWrite, kNothing };

/// Edits a private copy of the newest object, or says that there is nothing to write, or why the
/// whole thing must stop.
using Edit = std::function<Result<Change>(api::Object& copy)>;

/// How often a write is tried when others keep changing the object.
inline constexpr int kConflictTriesMax = 5;

/// Applies `edit` to a copy of `known` and writes it, with its resource version, to the object or
/// to `subresource`; after a conflict reads the object and edits that, kConflictTriesMax times in
/// all. Returns what was stored, or the object as it is when there was nothing to write.
///
/// Errors: kConflict  the last try failed too. Those of `edit`, of Get and of Update.
Result<api::Object> ReadModifyWrite(Client& client,
                                    const api::Object& known,
                                    std::string_view subresource,
                                    const Edit& edit);

/// The same as a task that writes in rounds. All that is pointed to outlives it.
Task<api::Object> ReadModifyWrite(WriteRounds* rounds,
                                  api::Object known,
                                  std::string subresource,
                                  const Edit* edit);

}  // namespace dray::client
