// SPDX-License-Identifier: Apache-2.0
#include "server/storage/hub_message.h"

#include "api/codec/protobuf.h"
#include "base/try.h"

namespace dray::server::storage {

Result<std::optional<std::string_view>> HubMessage(const api::KindInfo& hub,
                                                   std::string_view bytes) {
  if (!bytes.starts_with("k8s")) return std::nullopt;
  DRAY_TRY(const api::ProtobufEnvelope envelope, api::ReadProtobufEnvelope(bytes));
  const bool is_message = envelope.meta.api_version == hub.api_version &&
                          envelope.content_encoding.empty() && envelope.content_type.empty();
  return is_message ? std::optional(envelope.raw) : std::nullopt;
}

}  // namespace dray::server::storage
