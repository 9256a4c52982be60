// SPDX-License-Identifier: Apache-2.0
#include "server/documents/form.h"

namespace dray::server::documents {

std::string_view MediaType(Encoding encoding) {
  return encoding == Encoding::kJson ? "application/json" : "application/yaml";
}

}  // namespace dray::server::documents
