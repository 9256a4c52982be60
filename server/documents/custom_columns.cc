// SPDX-License-Identifier: Apache-2.0
#include "server/documents/custom_columns.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/custom_json.h"
#include "api/codec/tree_json.h"
#include "api/custom_kind.h"
#include "api/value/time.h"
#include "server/documents/cell_text.h"

namespace dray::server::documents {
namespace {

using api::JsonWriter;
using api::apiextensions_v1::CustomResourceColumnDefinition;

constexpr std::string_view kMetadata = "metadata";

// The column of a version that defines none.
const CustomResourceColumnDefinition& AgeColumn() {
  static const CustomResourceColumnDefinition kAge = [] {
    CustomResourceColumnDefinition column;
    column.name = "Age";
    column.type = "date";
    column.description = "When the object was created.";
    column.json_path = ".metadata.creationTimestamp";
    return column;
  }();
  return kAge;
}

// The metadata as a tree, which paths search.
api::Tree MetadataTree(const api::Object& object) {
  std::string json;
  api::EncodeSorted(api::TypeOf<api::meta_v1::ObjectMeta>(), &object.metadata(), json);
  return api::ReadTree(json).value_or(api::Tree::Object());
}

std::string DateCell(const api::Tree& value, WallTime now) {
  if (!value.is_text()) return "null";
  const Result<api::Time> time = api::Time::Parse(value.text());
  if (!time.has_value()) return JsonCell("<invalid>");
  return JsonCell(AgeText(*time, now));
}

// Texts as they are, others as JSON.
std::string TextCell(const api::Tree& value) {
  if (value.is_text()) return JsonCell(value.text());
  return JsonCell(value.is_null() ? "<nil>" : api::ToJson(value));
}

std::string NumberCell(const api::Tree& value, std::string_view type) {
  if (value.is_integer()) return std::to_string(value.integer());
  if (!value.is_double()) return "null";
  if (type == "number") return api::ToJson(value);
  constexpr double kMax = 9.2e18;
  const double whole = std::trunc(value.number());
  return std::abs(whole) < kMax ? std::to_string(static_cast<int64_t>(whole)) : "null";
}

std::string CellOf(const api::Tree* value, std::string_view type, WallTime now) {
  if (value == nullptr) return "null";
  if (type == "string") return TextCell(*value);
  if (type == "date") return DateCell(*value, now);
  if (type == "boolean") {
    if (!value->is_bool()) return "null";
    return value->boolean() ? "true" : "false";
  }
  return NumberCell(*value, type);
}

}  // namespace

CustomColumns::CustomColumns(const api::KindInfo& kind) : version_(registry::RulesOf(kind)) {
  if (version_ != nullptr) {
    for (const Column& column : version_->said().additional_printer_columns) {
      columns_.push_back(&column);
    }
  }
  if (columns_.empty()) columns_.push_back(&AgeColumn());
  for (const Column* column : columns_) paths_.push_back(JsonPath::Parse(column->json_path));
}

void CustomColumns::WriteDefinitions(JsonWriter& json) const {
  for (const Column* column : columns_) {
    const std::string description =
        column->description.empty()
            ? fmt::format("Custom resource definition column (in JSONPath format): {}",
                          column->json_path)
            : column->description;
    json.Object({{"name", column->name},
                 {"type", column->type},
                 {"format", column->format},
                 {"description", description},
                 {"priority", column->priority}});
  }
}

void CustomColumns::WriteCells(const api::Object& object, WallTime now, JsonWriter& json) const {
  const api::Tree& content = object.As<api::CustomObject>().content;
  std::optional<api::Tree> metadata;  // made when a column asks for it
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::optional<JsonPath>& path = paths_[i];
    if (!path.has_value()) {
      json.Value(nullptr);
      continue;
    }
    const api::Tree* root = &content;
    if (path->first_field() == kMetadata) {
      if (!metadata.has_value()) {
        metadata = api::Tree::Object();
        metadata->Set(kMetadata, MetadataTree(object));
      }
      root = &*metadata;
    }
    json.Raw(CellOf(path->First(*root), columns_[i]->type, now));
  }
}

}  // namespace dray::server::documents
