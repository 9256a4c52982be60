// SPDX-License-Identifier: Apache-2.0
// What an API server says to one write, without storage, authorization of the request itself and
// admission plug-ins: the judge behind `dray validate` and the validation vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/validation/options.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::server::registry {

enum class WriteOperation : uint8_t { kCreate, kUpdate, kUpdateStatus };

/// A write in the form of the store: both objects are of the hub's kind, have their defaults and
/// are the caller's alone.
struct Write {
  WriteOperation operation = WriteOperation::kCreate;
  api::Object object;
  api::Object old = {};  // what is replaced; empty for kCreate
};

struct Judgement {
  std::vector<Cause> causes;  // why it is refused, in upstream's order; empty: it is not
  std::vector<std::string> warnings;
};

/// `json`, a document of `kind`, as a server of `release` takes it in: decoded, with defaults as of
/// `now`, converted to the hub. Unknown and duplicate fields go to `issues`.
///
/// Errors: kBadRequest  as api::DecodeJson.
Result<api::Object> ReadForStore(const api::KindInfo& kind,
                                 std::string_view json,
                                 api::Release release,
                                 WallTime now,
                                 api::DecodeIssues* issues);

/// Makes `write.object` what would be stored (the server's own fields, fields of disabled gates
/// dropped) and judges it.
Judgement JudgeWrite(Write& write,
                     const api::validation::Options& options,
                     WallTime now,
                     Random& random);

}  // namespace dray::server::registry
