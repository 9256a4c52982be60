// SPDX-License-Identifier: Apache-2.0
// Patch: the document is applied to the object's JSON, the outcome goes the way of an update.
#include "server/patch/patch.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/text/cut.h"
#include "api/validation/cause_limits.h"
#include "server/errors/errors.h"
#include "server/patch/duplicate_fields.h"
#include "server/storage/item.h"
#include "server/verbs/decode_body.h"
#include "server/verbs/modify.h"
#include "server/verbs/verbs.h"

namespace dray::server::verbs {
namespace {

// Upstream refuses a patched object that it cannot read as an invalid patch, and shows it. Of a
// long one the beginning is shown, and that it ends.
Error BadOutcome(std::string_view patched, std::string_view why) {
  constexpr std::string_view kEnd = "…}";
  constexpr size_t kMax = api::validation::kShownMax;
  const std::string shown =
      patched.size() > kMax ? api::Cut(patched, kMax - kEnd.size()) + '}' : std::string(patched);
  return errors::InvalidAs("", "", "", {errors::InvalidValue("patch", errors::Quoted(shown), why)});
}

// `issues` are those of the patch itself.
Result<api::Object> DecodePatched(const Call& call,
                                  std::string_view patched,
                                  api::DecodeIssues issues) {
  const api::KindInfo& kind = call.kind();
  DRAY_TRY(const api::TypeMeta said, api::ReadTypeMeta(patched));
  if (said.kind != kind.kind || said.api_version != kind.api_version()) {
    return Fail(BadOutcome(patched,
                           fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                                       "\"pkg/runtime/scheme.go:110\"",
                                       said.kind,
                                       said.api_version)));
  }
  Result<api::Object> object =
      api::DecodeJson(kind, patched, &issues, {.release = call.request->release});
  if (!object.has_value()) return Fail(BadOutcome(patched, object.error().message));
  const FieldValidation validation = call.request->write.field_validation;
  if (validation == FieldValidation::kStrict && !issues.empty()) {
    return Fail(BadOutcome(patched, StrictError(issues)));
  }
  if (validation == FieldValidation::kWarn) {
    call.warnings->insert(call.warnings->end(), issues.begin(), issues.end());
  }
  return object;
}

// Whether `patch` cannot tell whether metadata.managedFields is in the document. Other patches than
// those that merge name what they want by paths, and an escape may stand for any letter.
bool LeavesOwners(const Call& call, std::string_view patch) {
  const patch::PatchType type = call.request->patch_type;
  const bool merges = type == patch::PatchType::kMerge || type == patch::PatchType::kStrategicMerge;
  return merges && !patch.contains("managedFields") && !patch.contains('\\');
}

// The JSON of `item` without metadata.managedFields. Nothing before it can look like it: metadata
// comes first, quotes within texts are escaped, and labels of that name are no lists.
std::string WithoutOwners(const storage::Item& item) {
  constexpr std::string_view kName = R"("managedFields")";
  const std::string_view json = *item.json;
  if (item.object.metadata().managed_fields.empty()) return std::string(json);
  size_t name = json.find(kName);
  while (name != std::string_view::npos && !json.substr(name + kName.size()).starts_with(":[")) {
    name = json.find(kName, name + 1);
  }
  if (name == std::string_view::npos) return std::string(json);
  const size_t value = name + kName.size() + 1;
  api::JsonReader reader(json.substr(value));
  reader.Skip();
  std::string rest;
  rest.reserve(json.size());
  // The comma before it goes too: an object has a name.
  return rest.append(json.substr(0, name - 1)).append(json.substr(value + reader.offset()));
}

// What the patch makes of `document`.
Result<api::Object> Patched(const Call& call,
                            std::string_view document,
                            const std::string& patch,
                            const api::DecodeIssues& duplicates) {
  const ResourceRequest& request = *call.request;
  DRAY_TRY(const std::string patched,
           patch::ApplyPatch(request.patch_type, call.kind(), document, patch, request.release));
  return DecodePatched(call, patched, duplicates);
}

}  // namespace

Task<Outcome> Patch(Call call) {
  const ResourceRequest& request = *call.request;
  if (request.patch_type == patch::PatchType::kApply) co_return co_await Apply(call);
  DRAY_CO_TRY(const registry::Subresource subresource, SubresourceOf(call));
  const auto* patch = std::get_if<std::string>(&request.body);
  if (patch == nullptr) co_return Fail(errors::BadRequest("a patch is a JSON document"));
  api::DecodeIssues duplicates;
  if (request.patch_type != patch::PatchType::kJson &&
      request.write.field_validation != FieldValidation::kIgnore) {
    duplicates = patch::DuplicateFields(*patch);
  }
  Modification modification{.wrong_uid = WrongUid::kInvalid};
  modification.change = [&call, &duplicates, patch](const Current& current) -> Result<api::Object> {
    if (LeavesOwners(call, *patch)) {
      // Who sends no owners leaves those of the store (EntriesAfter), so they need not be read,
      // written and read again. Errors show the whole document.
      Result<api::Object> object = Patched(call, WithoutOwners(current.seen), *patch, duplicates);
      if (object.has_value()) return object;
    }
    return Patched(call, *current.seen.json, *patch, duplicates);
  };
  DRAY_CO_TRY(ObjectAnswer answer, co_await Modify(call, subresource, &modification));
  co_return answer;
}

}  // namespace dray::server::verbs
