// SPDX-License-Identifier: Apache-2.0
#include "net/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/share_budget.h"
#include "net/http.h"
#include "net/request_tracker.h"

namespace dray::net {

TrackedRequest Track(const Request& head, bool has_body, const EngineOptions& options) {
  if (options.tracker == nullptr) return {};
  return options.tracker->Begin(head,
                                has_body ? RequestProgress::kReading : RequestProgress::kDeciding);
}

size_t HeadBytes(const Request& request) {
  return kRequestBytes + request.headers.block().size() + request.target.size();
}

void BeginRequest(Request& request,
                  HeadVerdict verdict,
                  bool has_body,
                  std::optional<uint64_t> length,
                  const EngineOptions& options) {
  if (verdict == HeadVerdict::kStranger) {
    if (has_body) request.body_state = BodyState::kSkipped;
    return;
  }
  request.claim = ShareBudget::Claim(options.requests, request.sender.owner);
  const uint64_t promised = has_body ? length.value_or(0) : 0;
  if (promised > options.body_bytes_max) {
    request.body_state = BodyState::kTooLarge;
  } else if (verdict == HeadVerdict::kNoRoom ||
             !request.claim.Resize(HeadBytes(request) + static_cast<size_t>(promised))) {
    request.body_state = BodyState::kNoRoom;
  } else if (promised > 0) {
    request.body.reserve(std::min(static_cast<size_t>(promised), kPromisedBytesMax));
  }
}

void CheckBody(Request& request, const EngineOptions& options) {
  const size_t size = request.body.size();
  if (size > options.body_bytes_max) {
    request.body_state = BodyState::kTooLarge;
  } else if (size > 0 && options.requests != nullptr) {
    const size_t held = HeadBytes(request) + size;
    if (held > request.claim.amount() && !request.claim.Resize(held)) {
      request.body_state = BodyState::kNoRoom;
    }
  }
  if (request.body_state == BodyState::kWhole) return;
  std::string().swap(request.body);  // an assignment would keep the memory
  request.claim.Release();
}

}  // namespace dray::net
