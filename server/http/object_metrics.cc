// SPDX-License-Identifier: Apache-2.0
#include "server/http/object_metrics.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/kind.h"
#include "base/mutex.h"
#include "metrics/registry.h"
#include "server/verbs/resources.h"

namespace dray::server::http {
namespace {

constexpr metrics::Description kOld{.name = "apiserver_storage_objects",
                                    .help = "Objects in the store, by resource and group."};
constexpr metrics::Description kNew{.name = "apiserver_resource_objects",
                                    .help = "Objects in the store."};

}  // namespace

void ObjectMetrics::Set(const std::vector<verbs::Resources::Count>& counts) {
  const MutexLock lock(mutex_);
  for (const auto& [kind, objects] : counts) {
    const auto key = std::pair(std::string(kind->group), std::string(kind->plural));
    auto found = gauges_.find(key);
    if (found == gauges_.end()) {
      const auto& [group, plural] = key;
      const std::string both = group.empty() ? plural : fmt::format("{}.{}", plural, group);
      found =
          gauges_
              .emplace(key,
                       std::pair(registry_.GaugeOf(kOld, {{"resource", both}}),
                                 registry_.GaugeOf(kNew, {{"group", group}, {"resource", plural}})))
              .first;
    }
    found->second.first.Set(static_cast<double>(objects));
    found->second.second.Set(static_cast<double>(objects));
  }
}

}  // namespace dray::server::http
