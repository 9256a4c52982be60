// SPDX-License-Identifier: Apache-2.0
#include "server/storage/item.h"

#include <cstddef>

namespace dray::server::storage {

std::string_view ListItemJson(const Item& item) {
  const api::KindInfo& kind = item.object.kind();
  // {"kind":"K","apiVersion":"V",
  const size_t head = std::string_view(R"({"kind":"","apiVersion":"",)").size() + kind.kind.size() +
                      kind.api_version().size();
  return std::string_view(*item.json).substr(head);
}

}  // namespace dray::server::storage
