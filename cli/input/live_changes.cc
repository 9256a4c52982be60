// SPDX-License-Identifier: Apache-2.0
#include "cli/input/live_changes.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/try.h"
#include "client/http_client.h"

namespace dray::cli::inline input {

struct LiveChanges::State {
  std::unique_ptr<client::HttpClient> client;
  std::atomic<bool> any = false;
  std::vector<std::unique_ptr<client::Watch>> watches;  // last: destroyed first
};

LiveChanges::LiveChanges(std::unique_ptr<State> state) : state_(std::move(state)) {}
LiveChanges::~LiveChanges() = default;

Result<std::unique_ptr<LiveChanges>> LiveChanges::Connect(World& world,
                                                          const std::string& kubeconfig,
                                                          const std::string& context) {
  DRAY_TRY(const client::ClusterAccess access, AccessTo(world, kubeconfig, context));
  auto state = std::make_unique<State>();
  DRAY_TRY(state->client, client::HttpClient::Create(world.clock, access));
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  return std::unique_ptr<LiveChanges>(new LiveChanges(std::move(state)));
}

void LiveChanges::Follow(const std::vector<ListedVersion>& listed) {
  State& state = *state_;
  state.watches.clear();
  state.any = false;
  for (const ListedVersion& version : listed) {
    const auto is_change = [](const client::WatchEvent& event) {
      return event.type != client::WatchEventType::kBookmark;
    };
    auto watch = state.client->StartWatch(*version.kind,
                                          {.namespace_ = version.namespace_},
                                          version.resource_version,
                                          {.events =
                                               [&state, is_change](const auto& events) {
                                                 if (std::ranges::any_of(events, is_change))
                                                   state.any = true;
                                               },
                                           .ended = [&state](const Error&) { state.any = true; }});
    if (!watch) {  // the next read reports the error
      state.any = true;
      continue;
    }
    state.watches.push_back(*std::move(watch));
  }
}

bool LiveChanges::any() const {
  return state_->any;
}

}  // namespace dray::cli::inline input
