// SPDX-License-Identifier: Apache-2.0
// The kinds that an input is read as.
#pragma once

#include <cstddef>
#include <vector>

#include "api/kind.h"

namespace dray::fuzz {

/// All kinds for a small input. A larger one is read as every eighth kind, the first of them chosen
/// by the size, because all of them would exceed libFuzzer's time limit.
inline std::vector<const api::KindInfo*> ChosenKinds(size_t size) {
  constexpr size_t kSmallMax = size_t{64} << 10U;
  constexpr size_t kStep = 8;
  std::vector<const api::KindInfo*> chosen;
  const auto kinds = api::BuiltinKinds();
  for (size_t i = size > kSmallMax ? size % kStep : 0;
       i<kinds.size(); i += size> kSmallMax ? kStep : 1) {
    chosen.push_back(kinds[i]);
  }
  return chosen;
}

}  // namespace dray::fuzz
