// SPDX-License-Identifier: Apache-2.0
// Answers of the verbs as protobuf, made of messages that all readers share. Tables have no
// protobuf form, because a cell may be any JSON; upstream has none either.
#pragma once

#include <string>

#include "api/meta_v1/status.h"
#include "server/documents/form.h"
#include "server/documents/text_pieces.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/watches/watch_cursor.h"

namespace dray::server::documents {

/// One object in its envelope, whole or, with a transformation, reduced to its metadata. O(size).
std::string ItemProtobuf(const storage::Item& item, const Form& form);

/// A list in its envelope. O(size), or O(groups) if the groups have kept their texts.
TextPieces ListProtobuf(const verbs::ListAnswer& answer, const Form& form);

std::string StatusProtobuf(const api::meta_v1::Status& status);

/// One event as a frame of the stream: its length, then its message.
std::string WatchFrameProtobuf(const verbs::WatchEvent& event, const Form& form);

}  // namespace dray::server::documents
