// SPDX-License-Identifier: Apache-2.0
// Bodies of answers: what the verbs return, in the form a client negotiated.
#pragma once

#include <string>
#include <string_view>

#include "api/meta_v1/status.h"
#include "base/result.h"
#include "base/world.h"
#include "server/documents/form.h"
#include "server/documents/table.h"
#include "server/verbs/answer.h"
#include "server/verbs/watch_cursor.h"

namespace dray::server::documents {

/// Everything a body's form depends on.
struct Rendering {
  Form form;
  bool pretty = false;
  TableOptions table;
};

/// The JSON of an answer, compact and without a newline.
/// Errors: kNotAcceptable  one object was asked for as a list, or the reverse.
Result<std::string> AnswerJson(const verbs::ObjectAnswer& answer, const Rendering& rendering);
Result<std::string> AnswerJson(const verbs::ListAnswer& answer, const Rendering& rendering);
std::string StatusJson(const api::meta_v1::Status& status);

/// `json` as a body: indented or with a newline at its end, or as YAML.
std::string Encoded(std::string json, const Form& form, bool pretty);

/// One line of a watch: {"type":…,"object":…} and a newline. A table shows its columns when
/// `definitions` says so.
std::string WatchLine(const verbs::WatchEvent& event,
                      const Rendering& rendering,
                      ColumnDefinitions definitions);

}  // namespace dray::server::documents
