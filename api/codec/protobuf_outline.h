// SPDX-License-Identifier: Apache-2.0
// An object out of its protobuf message, without the parts of it that are large and seldom asked
// for; these stay messages.
#pragma once

#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// An object, and what was left out of it.
struct ProtobufOutline {
  Object object;
  std::vector<std::string_view> parts;  // point into the message
};

/// As DecodeProtobuf(kind, raw, wire), but every struct of the type `part` stays empty, and its
/// message is in `parts`, in the order of `raw`. What these say is not checked. O(the others).
///
/// Errors: kBadRequest  as of DecodeProtobuf (api/codec/protobuf.h).
Result<ProtobufOutline> DecodeProtobufOutline(const KindInfo& kind,
                                              const Type& part,
                                              std::string_view raw,
                                              Wire wire = {});

}  // namespace dray::api::inline codec
