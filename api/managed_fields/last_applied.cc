// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/last_applied.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/managed_fields/compare_fields.h"
#include "api/managed_fields/documents.h"
#include "api/managed_fields/schema_shape.h"
#include "api/managed_fields/shape.h"
#include "api/managed_fields/versions.h"
#include "api/text/names.h"
#include "base/result.h"

namespace dray::api::managed_fields {
namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

}  // namespace

FieldSet FieldsOfLastApplied(const KindInfo& kind,
                             const Object& live,
                             const JsonTree& document,
                             Wire wire) {
  const auto& annotations = live.metadata().annotations;
  const auto annotation = annotations.find(kAnnotation);
  if (annotation == annotations.end() || annotation->second.empty()) return {};
  Result<JsonTree> last = ParseJsonTree(annotation->second, kDocumentDepthMax);
  if (!last.has_value() || !last->is_object()) return {};
  const JsonTree api_version = last->members().Take("apiVersion");
  const JsonTree name = last->members().Take("kind");
  if (api_version.text != kind.api_version || name.text != kind.kind) return {};
  const RootShape root(kind);
  const Shape& shape = root.get();
  if (!CheckDocument(shape, *last, wire).has_value()) return {};
  const Changes changes = CompareFields(shape, Part(&*last), Part(&document), wire);
  return FieldsOf(shape, *last, wire).Difference(changes.gained).Difference(changes.removed);
}

void RefreshLastApplied(const JsonTree& config, meta_v1::ObjectMeta& metadata) {
  const auto annotation = metadata.annotations.find(kAnnotation);
  if (annotation == metadata.annotations.end() || annotation->second.empty()) return;
  JsonTree bare = config;
  JsonTree* inner = bare.members().Find("metadata");
  JsonTree* annotations = inner == nullptr ? nullptr : inner->members().Find("annotations");
  if (annotations != nullptr) annotations->members().Take(kAnnotation);
  std::string text;
  WriteJsonTree(bare, text, MemberOrder::kByName);
  annotation->second = text + "\n";
  size_t bytes = 0;
  for (const auto& [key, value] : metadata.annotations) bytes += key.size() + value.size();
  if (bytes > kAnnotationBytesMax) metadata.annotations.erase(kAnnotation);
}

}  // namespace dray::api::managed_fields
