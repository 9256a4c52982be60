// SPDX-License-Identifier: Apache-2.0
#include "client/read_modify_write.h"

#include <utility>

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
  api::Object newest = known;
  for (int tries = 1;; ++tries) {
    api::Object copy = newest.Clone();
    DRAY_TRY(const Change change, edit(copy));
    if (change == Change::kNothing) return newest;
    Result<api::Object> written = client.Update(copy, subresource);
    if (written) return written;
    if (written.error().reason != StatusReason::kConflict || tries == kConflictTriesMax) {
      return Fail(std::move(written).error());
    }
    DRAY_TRY(newest, client.Get(RefOf(known)));
  }
}

}  // namespace dray::client
