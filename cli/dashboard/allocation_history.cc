// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/allocation_history.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/value/time.h"
#include "base/try.h"
#include "base/world.h"
#include "cli/input/live_input.h"
#include "server/storage/commit_times.h"
#include "server/verbs/read/past.h"

namespace dray::cli::inline dashboard {
namespace {

using api::resource_v1::ResourceClaim;
using server::http::PastSpan;
using server::storage::Moment;

constexpr int kTriesMax = 3;  // where the store drops history while it is read

struct AllocationChange {
  Moment moment;
  std::string claim, uid;
  std::vector<std::string> devices;
};

/// The devices that a claim has, sorted; none of a claim that is not there (null).
std::vector<std::string> DevicesOf(const api::Object* object) {
  std::vector<std::string> devices;
  if (object == nullptr) return devices;
  const auto& claim = object->As<ResourceClaim>();
  if (!claim.status.allocation.has_value()) return devices;
  for (const auto& result : claim.status.allocation->devices.results) {
    if (result.admin_access.value_or(false)) continue;
    devices.push_back(fmt::format("{}/{}/{}", result.driver, result.pool, result.device));
  }
  std::ranges::sort(devices);
  devices.erase(std::ranges::unique(devices).begin(), devices.end());
  return devices;
}

/// Follows what claims have. Keeps the last changes, and one state for each claim that changed.
class Allocations {
 public:
  explicit Allocations(size_t changes_max) : changes_max_(changes_max) {}

  void See(const server::verbs::PastChange& change, WallTime time) {
    const auto known = states_.find(change.key);
    State state;
    if (known == states_.end()) {
      if (const api::Object* const before = change.before())
        state = {.claim = api::ObjectKey(before->metadata()),
                 .uid = before->metadata().uid,
                 .devices = DevicesOf(before)};
    } else {
      state = known->second;
    }
    std::vector<std::string> devices = DevicesOf(change.after);
    const bool is_changed = devices != state.devices;
    if (change.after != nullptr) {
      state.claim = api::ObjectKey(change.after->metadata());
      state.uid = change.after->metadata().uid;
    }
    state.devices = std::move(devices);
    if (is_changed) {
      changes_.push_back({.moment = {.revision = change.revision, .time = time},
                          .claim = state.claim,
                          .uid = state.uid,
                          .devices = state.devices});
    }
    if (changes_.size() > changes_max_) {
      dropped_ = changes_.front().moment;
      is_cut_ = true;
      changes_.pop_front();
    }
    states_.insert_or_assign(std::string(change.key), std::move(state));
  }

  void Write(const PastSpan& span,
             const std::vector<std::string>& unread,
             api::JsonWriter& json) const {
    json.Object([&] {
      WriteMoment("from", is_cut_ ? dropped_ : span.begin, json);
      WriteMoment("to", span.end, json);
      json.Member("changes").Array([&] {
        for (const AllocationChange& change : changes_) {
          json.Object([&] {
            WriteMembers(change.moment, json);
            json.Member("claim", change.claim);
            json.Member("uid", change.uid);
            json.Member("devices").ArrayOf(change.devices);
          });
        }
      });
      json.Member("unread").ArrayOf(unread);
    });
  }

 private:
  struct State {
    std::string claim, uid;
    std::vector<std::string> devices;
  };

  static void WriteMembers(const Moment& moment, api::JsonWriter& json) {
    json.Member("revision", std::to_string(moment.revision.value()));
    const auto micros = std::chrono::floor<std::chrono::microseconds>(moment.time);
    json.Member("time",
                api::MicroTime::FromUnixMicros(micros.time_since_epoch().count()).ToString());
  }
  static void WriteMoment(std::string_view name, const Moment& moment, api::JsonWriter& json) {
    json.Member(name).Object([&] { WriteMembers(moment, json); });
  }

  const size_t changes_max_;
  std::map<std::string, State, std::less<>> states_;  // by key
  std::deque<AllocationChange> changes_;
  bool is_cut_ = false;
  Moment dropped_ = {};  // of the last change that was left out
};

Result<std::string> Read(const server::http::PageQuestion& question,
                         const api::KindInfo& claims,
                         size_t changes_max) {
  Allocations allocations(changes_max);
  std::vector<std::string> unread;
  const auto see = [&](const server::verbs::PastChange& change, WallTime time) {
    allocations.See(change, time);
  };
  Result<PastSpan> span = question.past(claims, "", see);
  if (!span && span.error().reason == StatusReason::kForbidden) {
    unread.emplace_back(claims.plural);
    span = question.past(
        claims, std::string(question.query.First("namespace").value_or(kDefaultNamespace)), see);
  }
  if (!span) return Fail(span.error());
  return api::JsonText([&](api::JsonWriter& json) { allocations.Write(*span, unread, json); });
}

}  // namespace

Result<std::string> AllocationHistory(const server::http::PageQuestion& question,
                                      size_t changes_max) {
  const api::Scheme scheme;
  const api::KindInfo& claims = *scheme.FindKind("resource.k8s.io/v1", "ResourceClaim");
  Result<std::string> answer = Read(question, claims, changes_max);
  for (int tries = 1; tries < kTriesMax; ++tries) {
    if (answer || answer.error().reason != StatusReason::kExpired) break;
    answer = Read(question, claims, changes_max);
  }
  return answer;
}

}  // namespace dray::cli::inline dashboard
