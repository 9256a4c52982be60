// SPDX-License-Identifier: Apache-2.0
#include "net/server/descriptors.h"

#include <algorithm>
#include <cstddef>

#include <sys/resource.h>

#include "net/server/options.h"

namespace dray::net::server {

size_t RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kOtherDescriptors;
  const rlim_t before = limit.rlim_cur;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, kDescriptorsMax);
  if (wanted <= before) return std::min<rlim_t>(before, kDescriptorsMax);
  limit.rlim_cur = wanted;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? wanted : before;
}

size_t ConnectionsWithin(size_t descriptors) {
  const size_t others = std::min(kOtherDescriptors, descriptors / 2);
  return std::clamp<size_t>(descriptors - others, 1, kConnectionsMax);
}

}  // namespace dray::net::server
