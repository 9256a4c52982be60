// SPDX-License-Identifier: Apache-2.0
// Server-side apply: merges the configuration into the stored object, or into an empty one, and
// passes the result on to update or create, with the managedFields of the merge.
#include "api/managed_fields/apply.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_tree.h"
#include "api/codec/yaml.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/write/modify.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {
namespace {

namespace managed_fields = api::managed_fields;

// The configuration as a tree; the edge has converted its YAML to JSON.
Result<api::JsonTree> ReadConfig(const Body& body, api::Release release) {
  const std::string_view word = AppliedWord(release);
  const auto* text = std::get_if<std::string>(&body);
  if (text == nullptr || text->empty()) return api::JsonTree::Object();
  Result<api::JsonTree> tree = api::ParseJsonTree(*text, managed_fields::kDocumentDepthMax);
  if (!tree.has_value()) {
    return Fail(
        errors::BadRequest(fmt::format("error decoding {}: {}", word, tree.error().message)));
  }
  if (tree->is_null()) return api::JsonTree::Object();
  if (tree->is_object()) return tree;
  return Fail(errors::BadRequest(fmt::format(
      "error decoding {}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} "
      "into Go value of type map[string]interface {{}}",
      word,
      GoJsonKind(*tree))));
}

// The object to create when none exists.
Result<api::Object> New(const Call& call,
                        const managed_fields::Write& write,
                        const api::JsonTree& config) {
  const api::KindInfo& kind = *call.worked_on().kind;
  DRAY_TRY(api::Object object, AppliedTo(call, write, api::Object::Make(kind), config));
  const std::string& uid = object.metadata().uid;
  if (!uid.empty()) {
    return Fail(errors::Conflict(call.kind(),
                                 call.request->name,
                                 fmt::format("uid mismatch: the provided object specified uid {}, "
                                             "and no existing object was found",
                                             uid)));
  }
  DRAY_TRY_VOID(CheckIdentity(call, object.metadata()));
  return object;
}

// Upstream looks for keys that come twice when the merge has succeeded.
Result<> TellDuplicates(const Call& call) {
  const std::vector<std::string>& keys = call.request->duplicate_keys;
  if (keys.empty()) return {};
  switch (call.request->write.field_validation) {
    case FieldValidation::kStrict:
      return Fail(errors::BadRequest(fmt::format("error strict decoding {}: {}",
                                                 AppliedWord(call.request->release),
                                                 api::DuplicateKeysMessage(keys))));
    case FieldValidation::kWarn:
      call.warnings->insert(call.warnings->end(), keys.begin(), keys.end());
      break;
    case FieldValidation::kIgnore: break;
  }
  return {};
}

}  // namespace

Result<api::Object> AppliedTo(const Call& call,
                              const managed_fields::Write& write,
                              const api::Object& live,
                              const api::JsonTree& config) {
  const auto force = call.request->write.force.value_or(false) ? managed_fields::Force::kYes
                                                               : managed_fields::Force::kNo;
  DRAY_TRY(managed_fields::Applied applied, managed_fields::Apply(write, live, config, force));
  DRAY_TRY_VOID(TellDuplicates(call));
  applied.object.mutable_metadata().managed_fields = std::move(applied.entries);
  return std::move(applied.object);
}

Task<Outcome> Apply(Call call) {
  DRAY_CO_TRY(const registry::Subresource subresource, SubresourceOf(call));
  DRAY_CO_TRY(const api::JsonTree config, ReadConfig(call.request->body, call.request->release));
  const managed_fields::Write write = WriterOf(call, subresource);
  Modification modification{.wrong_uid = WrongUid::kInvalid, .decides_owners = true};
  modification.change = [&](const Current& current) {
    return AppliedTo(call, write, current.stored.object, config);
  };
  Result<Outcome> outcome = Fail(errors::Modified(call.kind(), call.request->name));
  for (int tries = 0; tries < kModifyTriesMax; ++tries) {
    Result<ObjectAnswer> answer = co_await Modify(call, subresource, &modification);
    if (answer.has_value()) co_return *std::move(answer);
    const bool may_create = subresource == registry::Subresource::kNone &&
                            answer.error().reason == StatusReason::kNotFound;
    if (!may_create) co_return std::move(answer).failure();
    const std::function<Result<api::Object>()> make = [&] { return New(call, write, config); };
    DRAY_CO_TRY(api::Object object, make());
    outcome = co_await CreateObject(call, std::move(object), registry::Owners::kDecided, &make);
    // If another client has created the object meanwhile, the next round merges into that object.
    if (outcome.has_value() || outcome.error().reason != StatusReason::kAlreadyExists) break;
  }
  co_return outcome;
}

}  // namespace dray::server::verbs::inline write
