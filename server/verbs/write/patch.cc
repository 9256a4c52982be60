// SPDX-License-Identifier: Apache-2.0
// Patch: applies the patch to the object's JSON and passes the result on to update.
#include "server/patch/patch.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/codec/duplicate_fields.h"
#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/custom_kind.h"
#include "api/text/cut.h"
#include "api/validation/cause_limits.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/patch/json_tree.h"
#include "server/storage/hub_content.h"
#include "server/storage/item.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/write/modify.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {
namespace {

// Upstream's error for a patched object that it cannot decode: an invalid patch, with the object. A
// long object is cut, with a mark that it continues.
Error BadOutcome(std::string_view patched, std::string_view why) {
  constexpr std::string_view kEnd = "…}";
  constexpr size_t kMax = api::validation::kShownMax;
  const std::string shown =
      patched.size() > kMax ? api::Cut(patched, kMax - kEnd.size()) + '}' : std::string(patched);
  return errors::InvalidAs("", "", "", {errors::InvalidValue("patch", errors::Quoted(shown), why)});
}

// Adds the issues to the warnings, or returns an error, as the call's field validation says.
Result<> ReportIssues(const Call& call, std::string_view patched, const api::DecodeIssues& issues) {
  const FieldValidation validation = call.request->write.field_validation;
  if (validation == FieldValidation::kStrict && !issues.empty()) {
    return Fail(BadOutcome(patched, StrictError(issues)));
  }
  if (validation == FieldValidation::kWarn) {
    call.warnings->insert(call.warnings->end(), issues.begin(), issues.end());
  }
  return {};
}

// DecodePatched() for a custom kind: decodes the object first, then checks its kind and apiVersion.
Result<api::Object> DecodePatchedCustom(const Call& call,
                                        std::string_view patched,
                                        const api::TypeMeta& said,
                                        const api::DecodeIssues& of_patch) {
  const std::string_view missing = said.kind.empty()          ? "Kind"
                                   : said.api_version.empty() ? "apiVersion"
                                                              : "";
  if (!missing.empty()) {
    return Fail(
        BadOutcome(patched, fmt::format("Object '{}' is missing in '{}'", missing, patched)));
  }
  const api::Release release = call.request->release;
  api::DecodeIssues issues;
  Result<api::Object> object = api::DecodeJson(call.kind(), patched, &issues, {.release = release});
  if (!object.has_value()) return Fail(BadOutcome(patched, object.error().message));
  DRAY_TRY(issues, IssuesAsSaid(call.kind(), said, patched, release, std::move(issues)));
  issues.insert(issues.begin(), of_patch.begin(), of_patch.end());
  DRAY_TRY_VOID(ReportIssues(call, patched, issues));
  std::optional<Error> wrong = WrongCustomKind(call.kind(), said, object->metadata().name);
  if (wrong.has_value()) return Fail(*std::move(wrong));
  return object;
}

// Decodes the patched object; `issues` are those of the patch itself.
Result<api::Object> DecodePatched(const Call& call,
                                  std::string_view patched,
                                  api::DecodeIssues issues) {
  const api::KindInfo& kind = call.kind();
  DRAY_TRY(const api::TypeMeta said, api::ReadTypeMeta(patched));
  if (api::IsCustom(kind)) return DecodePatchedCustom(call, patched, said, issues);
  if (said.kind != kind.kind || said.api_version != kind.api_version) {
    return Fail(BadOutcome(patched,
                           fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                                       "\"pkg/runtime/scheme.go:110\"",
                                       said.kind,
                                       said.api_version)));
  }
  Result<api::Object> object =
      api::DecodeJson(kind, patched, &issues, {.release = call.request->release});
  if (!object.has_value()) return Fail(BadOutcome(patched, object.error().message));
  DRAY_TRY_VOID(ReportIssues(call, patched, issues));
  return object;
}

// Whether the effect of `patch` does not depend on metadata.managedFields being in the document.
// Only merging patches qualify: the others address members by paths. A backslash disqualifies a
// patch, because an escape may stand for any letter of the name.
bool LeavesOwners(const Call& call, std::string_view patch) {
  const patch::PatchType type = call.request->patch_type;
  const bool merges = type == patch::PatchType::kMerge || type == patch::PatchType::kStrategicMerge;
  return merges && !patch.contains("managedFields") && !patch.contains('\\');
}

// The JSON of `item` without metadata.managedFields. The first match of the search is that member:
// metadata comes first, quotes within texts are escaped, and labels of that name are not lists.
std::string WithoutOwners(const storage::Item& item) {
  constexpr std::string_view kName = R"("managedFields")";
  std::string text = storage::JsonOf(item);
  if (item.object.metadata().managed_fields.empty()) return text;
  const std::string_view json = text;
  size_t name = json.find(kName);
  while (name != std::string_view::npos && !json.substr(name + kName.size()).starts_with(":[")) {
    name = json.find(kName, name + 1);
  }
  if (name == std::string_view::npos) return text;
  const size_t value = name + kName.size() + 1;
  api::JsonReader reader(json.substr(value));
  reader.Skip();
  std::string rest;
  rest.reserve(json.size());
  // Also drops the comma before the member: metadata always has a name before it.
  rest.append(json.substr(0, name - 1)).append(json.substr(value + reader.offset()));
  return rest;
}

// The result of the patch applied to `document`.
Result<api::Object> Patched(const Call& call,
                            std::string_view document,
                            const std::string& patch,
                            const api::DecodeIssues& duplicates) {
  const ResourceRequest& request = *call.request;
  DRAY_TRY(const std::string patched,
           patch::ApplyPatch(request.patch_type, call.kind(), document, patch, request.release));
  return DecodePatched(call, patched, duplicates);
}

using Fields = std::vector<const api::Field*>;

// The fields that the merging `patch` names; nothing if one is not a field of the kind.
std::optional<Fields> FieldsNamedBy(std::string_view patch, const Call& call) {
  Fields fields;
  api::JsonReader reader(patch);
  reader.EnterObject();
  std::string_view name;
  while (reader.NextKey(name)) {
    const api::Field* field = call.kind().type().Find(name);
    if (field == nullptr || field->facets.inlined ||
        !field->IsOn({.release = call.view().release})) {
      return std::nullopt;
    }
    fields.push_back(field);
    reader.Skip();
  }
  if (!reader.Finish()) return std::nullopt;
  return fields;
}

void CopyFields(const Fields& fields, const api::Object& from, api::Object& to) {
  for (const api::Field* field : fields) {
    Assign(field->type(), MutableMember(*field, to.mutable_value()), field->of(from.value()));
  }
}

// The result of a patch of a status that leaves managedFields alone (LeavesOwners): only the fields
// that the patch names are written as JSON, patched and read; the other fields are copied. (A write
// through `status` compares no other field with the store, so their spelling does not matter.)
// Nothing where the whole document is needed: near the size limit, for hub content that the
// client's version does not show, and after errors, which show the document.
std::optional<api::Object> PatchedStatus(const Call& call,
                                         const storage::Item& seen,
                                         const std::string& patch,
                                         const api::DecodeIssues& duplicates) {
  if (!call.view().is_storage() || storage::HasHubContent(seen.object)) return std::nullopt;
  if (storage::JsonBytes(seen) + patch.size() > patch::kPatchedBytesMax) return std::nullopt;
  const std::optional<Fields> fields = FieldsNamedBy(patch, call);
  if (!fields.has_value()) return std::nullopt;
  api::Object part = api::Object::Make(call.kind());
  CopyFields(*fields, seen.object, part);
  part.mutable_metadata().managed_fields = {};
  const Result<api::Object> patched = Patched(call, api::ToJson(part), patch, duplicates);
  if (!patched.has_value()) return std::nullopt;
  api::Object requested = seen.object.Clone();
  CopyFields(*fields, *patched, requested);
  return requested;
}

// The result of any other patch.
Result<api::Object> PatchedObject(const Call& call,
                                  const storage::Item& seen,
                                  const std::string& patch,
                                  const api::DecodeIssues& duplicates) {
  if (LeavesOwners(call, patch)) {
    // An object without managedFields keeps the stored ones (EntriesAfter), so they need not be
    // written, patched and read. Errors show the whole document.
    Result<api::Object> object = Patched(call, WithoutOwners(seen), patch, duplicates);
    if (object.has_value()) return object;
  }
  return Patched(call, storage::JsonOf(seen), patch, duplicates);
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
    duplicates = api::DuplicateFields(*patch, patch::kDepthMax);
  }
  const bool has_operations = request.patch_type == patch::PatchType::kJson &&
                              api::IsCustom(call.kind()) &&
                              request.write.field_validation != FieldValidation::kIgnore;
  if (has_operations) {
    for (const std::string& one : api::DuplicateFields(*patch, patch::kDepthMax)) {
      duplicates.push_back("json patch " + one);
    }
  }
  Modification modification{.wrong_uid = WrongUid::kInvalid};
  const bool is_in_part =
      subresource == registry::Subresource::kStatus && LeavesOwners(call, *patch);
  modification.change = [&](const Current& current) -> Result<api::Object> {
    if (is_in_part) {
      std::optional<api::Object> requested = PatchedStatus(call, current.seen, *patch, duplicates);
      if (requested.has_value()) return *std::move(requested);
    }
    return PatchedObject(call, current.seen, *patch, duplicates);
  };
  DRAY_CO_TRY(ObjectAnswer answer, co_await Modify(call, subresource, &modification));
  co_return answer;
}

}  // namespace dray::server::verbs::inline write
