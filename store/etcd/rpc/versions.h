// SPDX-License-Identifier: Apache-2.0
// What depends on the version of an etcd.
#pragma once

#include <string_view>

namespace dray::store::etcd::rpc {

/// Whether progress answers of this version ("3.5.13") are reliable. Before 3.4.31 and 3.5.13 a
/// progress answer may overtake events (etcd's issue 15220).
bool HasReliableProgress(std::string_view version);

}  // namespace dray::store::etcd::rpc
