// SPDX-License-Identifier: Apache-2.0
#include "net/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "net/byte_budget.h"
#include "net/http.h"
#include "net/request_tracker.h"

namespace dray::net {

TrackedRequest Track(const Request& head, bool has_body, const EngineOptions& options) {
  if (options.tracker == nullptr) return {};
  return options.tracker->Begin(head,
                                has_body ? RequestProgress::kReading : RequestProgress::kDeciding);
}

void BeginBody(Request& request, std::optional<uint64_t> length, const EngineOptions& options) {
  request.body_share = ByteBudget::Share(options.bodies);
  if (!length) return;
  if (*length > options.body_bytes_max) {
    request.body_state = BodyState::kTooLarge;
  } else if (!request.body_share.Resize(static_cast<size_t>(*length))) {
    request.body_state = BodyState::kNoRoom;
  } else {
    request.body.reserve(std::min(static_cast<size_t>(*length), kPromisedBytesMax));
  }
}

void CheckBody(Request& request, const EngineOptions& options) {
  const size_t size = request.body.size();
  if (size > options.body_bytes_max) {
    request.body_state = BodyState::kTooLarge;
  } else if (size > request.body_share.bytes() && !request.body_share.Resize(size)) {
    request.body_state = BodyState::kNoRoom;
  }
  if (request.body_state == BodyState::kWhole) return;
  std::string().swap(request.body);  // an assignment would keep the memory
  request.body_share = {};
}

}  // namespace dray::net
