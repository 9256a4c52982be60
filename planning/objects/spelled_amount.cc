// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/spelled_amount.h"

#include <cstddef>
#include <utility>

namespace dray::planning::inline objects {

api::Quantity SpelledAs(std::initializer_list<const api::Quantity*> written,
                        const api::Quantity& amount) {
  api::Quantity shortest = amount;
  bool is_own = true;
  for (const api::Quantity* const like : written) {
    if (like == nullptr || like->IsZero()) continue;
    if (*like == amount) return *like;
    api::Quantity spelled = *like;  // a sum keeps the format of its first summand
    spelled += amount;
    spelled -= *like;
    const size_t size = spelled.ToString().size();
    const size_t best = shortest.ToString().size();
    if (size > best || (size == best && !is_own)) continue;
    shortest = std::move(spelled);
    is_own = false;
  }
  return shortest;
}

}  // namespace dray::planning::inline objects
