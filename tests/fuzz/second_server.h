// SPDX-License-Identifier: Apache-2.0
// Accepted means readable, through a second server.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"
#include "base/check.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/task.h"
#include "server/storage/keys.h"
#include "server/testing/readable.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"
#include "store/record.h"
#include "store/store.h"

namespace dray::fuzz {

/// Another server on the data that the first one's store would have written to a disk. Its lists
/// must have all objects, unchanged.
class SecondServer {
 public:
  /// Checks the commits to `first` since the last call.
  void Follow(const store::Store& first) {
    constexpr size_t kEventsMax = 1000;
    seen_ = std::max(seen_, first.status().floor);
    while (true) {
      const auto batch = first.EventsAfter(seen_, server::storage::kRegistry, kEventsMax);
      DRAY_CHECK(batch.has_value());
      if (batch->through == seen_) return;
      seen_ = batch->through;
      for (const auto& event : batch->events) {
        if (event->type == store::Event::Type::kPut) Take(*event->record);
      }
    }
  }

 private:
  void Take(const store::Record& record) {
    const api::KindInfo* kind = KindAt(record.key());
    DRAY_CHECK(kind != nullptr);
    DRAY_CHECK(server::testing::LossOf(*kind, record).empty());
    store::Txn txn;
    txn.operations.emplace_back(store::Put{.key = std::string(record.key()),
                                           .value = store::MakeBytes(record.value->bytes())});
    DRAY_CHECK(store_.CommitAndWait(std::move(txn)).has_value());
    server::verbs::ResourceRequest request;
    request.verb = server::verbs::Verb::kList;
    request.kind = kind;
    const auto answer = Wait(resources_.Handle(std::move(request)));
    DRAY_CHECK(answer.has_value() && answer->outcome.has_value());
    DRAY_CHECK(answer->warnings.empty());
  }

  // One of the kinds stored under this key; its lists report every record that cannot be read.
  const api::KindInfo* KindAt(std::string_view key) const {
    for (const api::KindInfo* kind : scheme_.kinds()) {
      const bool is_hub = &kind->storage() == kind && kind->served && !kind->create_only;
      if (is_hub && key.starts_with(server::storage::ResourcePrefix(*kind))) return kind;
    }
    return nullptr;
  }

  SimulatedWorld simulated_{1};
  api::Scheme scheme_;
  store::MemoryStore store_;
  server::verbs::Resources resources_{scheme_, store_, simulated_.world(), Log::Silent(), {}};
  Revision seen_{0};
};

}  // namespace dray::fuzz
