// SPDX-License-Identifier: Apache-2.0
// Discovery documents as protobuf. They are no objects of a kind, so they are made from their JSON,
// by a table of their members (meta/v1 and apidiscovery/v2, generated.proto).
#pragma once

#include <string>
#include <string_view>

namespace dray::server::documents {

/// `json`, a document of discovery that this server made, in the envelope of Kubernetes.
/// O(size).
std::string DiscoveryProtobuf(std::string_view json);

}  // namespace dray::server::documents
