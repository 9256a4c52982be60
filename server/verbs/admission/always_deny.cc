// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/always_deny.h"

#include "server/errors/errors.h"

namespace dray::server::verbs::admission {

Result<> DenyAlways(const Call& call,
                    const store::Snapshot& /*snapshot*/,
                    const Write& write,
                    api::Object* /*object*/) {
  return Fail(errors::Forbidden(
      call.kind(), NameOf(call, write), "admission control is denying all modifications"));
}

}  // namespace dray::server::verbs::admission
