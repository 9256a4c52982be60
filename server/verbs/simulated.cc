// SPDX-License-Identifier: Apache-2.0
// Subresources that a node answers: there is none that runs anything.
#include <algorithm>
#include <array>
#include <string_view>

#include "server/errors/errors.h"
#include "server/policies/admission_request.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/verbs.h"
#include "store/snapshot.h"

namespace dray::server::verbs {
namespace {

struct Part {
  std::string_view name;
  std::string_view what;  // there is none of
};

constexpr std::string_view kLog = "log";

constexpr std::array kParts = {Part{.name = "attach", .what = "process to attach to"},
                               Part{.name = "exec", .what = "container to run a command in"},
                               Part{.name = kLog, .what = "log"},
                               Part{.name = "portforward", .what = "port to forward to"},
                               Part{.name = "proxy", .what = "port to connect to"}};

}  // namespace

bool NeedsRunningContainers(std::string_view subresource) {
  return std::ranges::find(kParts, subresource, &Part::name) != kParts.end();
}

Task<Outcome> RefuseSimulated(Call call) {
  DRAY_CO_TRY_VOID(co_await Get(call));
  if (call.request->subresource != kLog) {  // which is read; all others are connected to
    const Frozen<store::Snapshot> snapshot = call.session->Read();
    const admission::Write connection{.operation = policies::Operation::kConnect,
                                      .subresource = call.request->subresource};
    DRAY_CO_TRY_VOID(admission::Admit(call, *snapshot, connection, nullptr));
    DRAY_CO_TRY_VOID(admission::Validate(call, *snapshot, connection));
  }
  const auto* const part = std::ranges::find(kParts, call.request->subresource, &Part::name);
  const std::string_view what = part == kParts.end() ? std::string_view("answer") : part->what;
  co_return Fail(errors::Simulated(call.kind(), call.request->name, what));
}

}  // namespace dray::server::verbs
