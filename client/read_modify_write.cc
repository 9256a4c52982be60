// SPDX-License-Identifier: Apache-2.0
#include "client/read_modify_write.h"

#include <utility>

#include "base/try.h"

namespace dray::client {

ObjectRef RefOf(const api::Object& object) {
  return {.kind = &object.kind(),
          .namespace_ = object.metadata().namespace_,
          .name = object.metadata().name};
}

Result<api::Object> ReadModifyWrite(Client& client,
                                    const api::Object& known,
                                    std::string_view subresource,
                                    const Edit& edit) {
  return RunAlone<api::Object>(client, [&](WriteRounds& rounds) {
    return ReadModifyWrite(&rounds, known, std::string(subresource), &edit);
  });
}

Task<api::Object> ReadModifyWrite(WriteRounds* rounds,
                                  api::Object known,
                                  std::string subresource,
                                  const Edit* edit) {
  api::Object newest = known;
  for (int tries = 1;; ++tries) {
    api::Object copy = newest.Clone();
    DRAY_CO_TRY(const Change change, (*edit)(copy));
    if (change == Change::kNothing) co_return newest;
    Result<api::Object> written = co_await rounds->Update(std::move(copy), subresource);
    if (written) co_return written;
    if (written.error().reason != StatusReason::kConflict || tries == kConflictTriesMax) {
      co_return std::move(written).failure();
    }
    DRAY_CO_TRY(newest, rounds->client().Get(RefOf(known)));
  }
}

}  // namespace dray::client
