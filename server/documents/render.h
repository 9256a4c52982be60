// SPDX-License-Identifier: Apache-2.0
// Bodies of answers: the results of verbs, in the form that a client negotiated.
#pragma once

#include <string>
#include <string_view>

#include "api/meta_v1/status.h"
#include "base/result.h"
#include "base/world.h"
#include "server/documents/form.h"
#include "server/documents/table.h"
#include "server/documents/text_pieces.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/watches/watch_cursor.h"

namespace dray::server::documents {

/// The inputs that determine a body's form.
struct Rendering {
  Form form;
  bool pretty = false;
  TableOptions table;
};

/// The body of an answer. Errors: kNotAcceptable  one object was requested as a list, or the
/// reverse.
Result<std::string> AnswerBody(const verbs::ObjectAnswer& answer, const Rendering& rendering);
Result<TextPieces> AnswerBody(const verbs::ListAnswer& answer, const Rendering& rendering);

/// The JSON of a Status, compact and without a newline.
std::string StatusJson(const api::meta_v1::Status& status);

/// The body of a Status, which is never transformed. In JSON it is UTF-8; in protobuf it has the
/// client's bytes, as upstream's.
std::string StatusBody(const api::meta_v1::Status& status, const Form& form, bool pretty);

/// `json` with each byte from a client that is not UTF-8 replaced as by Go's encoder. Texts from
/// URLs and headers may have any bytes; those from bodies and from the store are UTF-8.
std::string OnlyUtf8(std::string json);

/// `json` as a body: indented or with a newline at its end, or as YAML. `form` is not protobuf.
std::string Encoded(std::string json, const Form& form, bool pretty);

/// One event of a watch in its stream: in JSON a line {"type":…,"object":…}, in protobuf a message
/// after its length. A table has its columns if `definitions` is kShown.
std::string WatchFrame(const verbs::WatchEvent& event,
                       const Rendering& rendering,
                       ColumnDefinitions definitions);

}  // namespace dray::server::documents
