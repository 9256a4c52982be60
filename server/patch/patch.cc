// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch.h"

#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "server/errors/errors.h"
#include "server/patch/json_patch.h"
#include "server/patch/json_tree.h"
#include "server/patch/merge_patch.h"
#include "server/patch/strategic_merge.h"

namespace dray::server::patch {
namespace {

// Since 1.37 a patch is checked before it is read.
constexpr api::Releases kReadAtOnce = {.first = 0, .last = 36};

Error NotJson(PatchType type, const Error& error, api::Release release) {
  if (!kReadAtOnce.Rules(release)) {
    return {.reason = StatusReason::kBadRequest, .message = "invalid JSON patch"};
  }
  const std::string_view before =
      type == PatchType::kStrategicMerge ? "" : "error decoding patch: ";
  // The error for a text that ends too early has no position.
  constexpr std::string_view kCutOff = "unexpected end of JSON input";
  const std::string_view why = error.message.ends_with(kCutOff) ? kCutOff : error.message;
  return {.reason = StatusReason::kBadRequest, .message = fmt::format("{}{}", before, why)};
}

// A merge patch of either kind is an object.
Result<> CheckMergeForm(const JsonTree& patch) {
  if (patch.is_object()) return {};
  if (patch.is_null()) return Fail(StatusReason::kBadRequest, "Invalid JSON Patch");
  return Fail(StatusReason::kBadRequest,
              fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                          "map[string]interface {{}}",
                          GoJsonKind(patch)));
}

// Clients learn that their patch cannot be carried out, and not why.
Result<> CarryOut(JsonTree patch, JsonTree& document) {
  Result<> done = ApplyJsonPatch(std::move(patch), document);
  if (done.has_value() || done.error().reason != StatusReason::kInvalid) return done;
  return Fail(errors::WithoutSubject(
      StatusReason::kInvalid, "the server rejected our request due to an error in our request"));
}

}  // namespace

Result<std::string> ApplyPatch(PatchType type,
                               const api::KindInfo& kind,
                               std::string_view current_json,
                               std::string_view patch_json,
                               api::Release release) {
  auto patch = ParseJsonTree(patch_json, kDepthMax);
  if (!patch) return Fail(NotJson(type, patch.error(), release));
  DRAY_TRY(JsonTree document, ParseJsonTree(current_json, kDepthMax));
  switch (type) {
    case PatchType::kJson: DRAY_TRY_VOID(CarryOut(*std::move(patch), document)); break;
    case PatchType::kMerge:
      DRAY_TRY_VOID(CheckMergeForm(*patch));
      ApplyMergePatch(*std::move(patch), document);
      break;
    case PatchType::kStrategicMerge:
      DRAY_TRY_VOID(CheckMergeForm(*patch));
      DRAY_TRY_VOID(ApplyStrategicMerge(
          kind.type(), *std::move(patch), document, current_json.size() + patch_json.size()));
      break;
    case PatchType::kApply:
      return Fail(StatusReason::kBadRequest, "apply is not a patch of this kind");
  }
  std::string text;
  WriteJsonTree(document, text);
  if (text.size() > kPatchedBytesMax) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                fmt::format("Request entity too large: limit is {}", kPatchedBytesMax));
  }
  return text;
}

}  // namespace dray::server::patch
