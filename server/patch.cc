// SPDX-License-Identifier: Apache-2.0
#include "server/patch.h"

#include <utility>

#include <fmt/format.h>

#include "server/internal/json_tree.h"
#include "server/internal/patches.h"

namespace dray::server {
namespace internal {

std::string GoJsonKind(const JsonTree& tree) {
  switch (tree.kind) {
    case api::JsonKind::kNull:
    case api::JsonKind::kInvalid: return "null";
    case api::JsonKind::kBool: return "bool";
    case api::JsonKind::kNumber: return "number";
    case api::JsonKind::kString: return "string";
    case api::JsonKind::kArray: return "array";
    case api::JsonKind::kObject: return "object";
  }
  return {};
}

}  // namespace internal

namespace {

using internal::JsonTree;

// A merge patch of either kind is an object.
Result<> CheckMergeForm(const JsonTree& patch) {
  if (patch.is_object()) return {};
  if (patch.is_null()) return Fail(StatusReason::kBadRequest, "Invalid JSON Patch");
  return Fail(StatusReason::kBadRequest,
              fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                          "map[string]interface {{}}",
                          internal::GoJsonKind(patch)));
}

}  // namespace

Result<std::string> ApplyPatch(PatchType type,
                               const api::KindInfo& kind,
                               std::string_view current_json,
                               std::string_view patch_json) {
  auto patch = internal::ParseJsonTree(patch_json, kPatchDepthMax);
  if (!patch) return Fail(StatusReason::kBadRequest, "invalid JSON patch");
  DRAY_TRY(JsonTree document, internal::ParseJsonTree(current_json, kPatchDepthMax));
  switch (type) {
    case PatchType::kJson: DRAY_TRY_VOID(internal::ApplyJsonPatch(*patch, document)); break;
    case PatchType::kMerge:
      DRAY_TRY_VOID(CheckMergeForm(*patch));
      internal::ApplyMergePatch(*std::move(patch), document);
      break;
    case PatchType::kStrategicMerge:
      DRAY_TRY_VOID(CheckMergeForm(*patch));
      DRAY_TRY_VOID(internal::ApplyStrategicMerge(kind.type(), *std::move(patch), document));
      break;
    case PatchType::kApply:
      return Fail(StatusReason::kBadRequest, "apply is not a patch of this kind");
  }
  std::string text;
  internal::WriteJsonTree(document, text);
  if (text.size() > kPatchedBytesMax) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                fmt::format("Request entity too large: limit is {}", kPatchedBytesMax));
  }
  return text;
}

}  // namespace dray::server
