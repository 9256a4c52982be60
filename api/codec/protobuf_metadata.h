// SPDX-License-Identifier: Apache-2.0
// The metadata of an object out of its protobuf message, without the rest of it.
#pragma once

#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// An object of `kind` with the metadata of the message `raw` alone. What follows the metadata is
/// neither read nor checked. O(metadata).
///
/// Errors: kBadRequest  as of DecodeProtobuf (api/codec/protobuf.h).
Result<Object> DecodeProtobufMetadata(const KindInfo& kind, std::string_view raw, Wire wire = {});

}  // namespace dray::api::inline codec
