// SPDX-License-Identifier: Apache-2.0
#include "manifests/documents.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "api/codec/yaml.h"
#include "base/try.h"
#include "manifests/files.h"

namespace dray::manifests {
namespace {

constexpr std::string_view kListSuffix = "List";

/// Corrects the line in "yaml: line 3: what" and "line 3: what": the parser counts from the start
/// of the document. `line` is the default if the message has none.
LineNote Located(std::string_view message, size_t first_line, size_t line = 1) {
  std::string_view rest = message;
  if (rest.starts_with("yaml: ")) rest.remove_prefix(std::string_view("yaml: ").size());
  if (rest.starts_with("line ")) {
    const char* const digits = rest.data() + std::string_view("line ").size();
    const char* const end = rest.data() + rest.size();
    const auto read = std::from_chars(digits, end, line);
    rest.remove_prefix(static_cast<size_t>(read.ptr - rest.data()));
    if (rest.starts_with(": ")) rest.remove_prefix(2);
    message = rest;
  }
  return {.line = first_line + line - 1, .text = std::string(message)};
}

Document ReadDocument(const api::YamlChunk& chunk, size_t number, WithLines with_lines) {
  Document document = {
      .number = number, .first_line = chunk.first_line, .text = std::string(chunk.text)};
  auto read = api::YamlToJson(
      chunk.text, {.first_line = chunk.first_line, .with_lines = with_lines == WithLines::kYes});
  if (!read) {
    const size_t braces = chunk.text.find("{{");
    document.is_template = braces != std::string_view::npos;
    // Some messages of the parser name no line; in templates the braces cause the error.
    const auto line = document.is_template ? std::ranges::count(chunk.text.substr(0, braces), '\n')
                                           : std::ptrdiff_t{0};
    document.failure =
        Located(read.error().message, chunk.first_line, 1 + static_cast<size_t>(line));
    return document;
  }
  document.json = std::move(read->json);
  document.lines = std::move(read->lines);
  for (const std::string& duplicate : read->duplicates) {
    document.duplicates.push_back(Located(duplicate, chunk.first_line));
  }
  return document;
}

/// The type at the start of an object, where programs write it in JSON; the rest is not parsed.
/// Absent if the object may be a list, or has its type elsewhere or not as strings.
std::optional<api::TypeMeta> TypeInFront(std::string_view json) {
  api::JsonReader reader(json);
  api::TypeMeta type;
  std::string_view key;
  if (reader.Peek() != api::JsonKind::kObject) return std::nullopt;
  reader.EnterObject();
  while (type.kind.empty() || type.api_version.empty()) {
    if (!reader.NextKey(key) || (key != "kind" && key != "apiVersion")) return std::nullopt;
    if (reader.Peek() != api::JsonKind::kString) return std::nullopt;
    reader.String(key == "kind" ? type.kind : type.api_version);
  }
  if (reader.failed() || type.kind.ends_with(kListSuffix)) return std::nullopt;
  return type;
}

/// Finds the objects of one JSON value; `type` is the item type of the list around it.
class Finder {
 public:
  Result<> Find(std::string_view json, const std::string& path, const api::TypeMeta& inherited) {
    auto type = api::ReadTypeMeta(json);
    if (!type) {
      const std::string where = path.empty() ? "" : path + ": ";
      return Fail(StatusReason::kBadRequest, where + type.error().message);
    }
    if (type->kind.empty() && type->api_version.empty()) *type = inherited;
    if (type->kind.ends_with(kListSuffix)) {
      DRAY_TRY(const bool is_list, FindItems(json, path, *type));
      if (is_list) return {};
    }
    objects_.push_back({.json = json, .type = *std::move(type), .path = path});
    return {};
  }

  std::vector<ObjectText> Take() { return std::move(objects_); }

 private:
  /// False if there are no items after all.
  Result<bool> FindItems(std::string_view json,
                         const std::string& path,
                         const api::TypeMeta& list) {
    api::TypeMeta item = list;
    item.kind.resize(item.kind.size() - kListSuffix.size());
    if (item.kind.empty()) item = {};  // a v1 List has items of any type
    api::JsonReader reader(json);
    std::string key;
    bool found = false;
    reader.EnterObject();
    while (reader.NextKey(key)) {
      if (key != "items" || reader.Peek() != api::JsonKind::kArray) {
        reader.Skip();
        continue;
      }
      found = true;
      reader.EnterArray();
      const std::string items = path.empty() ? "items" : path + ".items";
      for (size_t i = 0; reader.NextElement(); ++i) {
        const std::string_view text = reader.Skip();
        std::string place = fmt::format("{}[{}]", items, i);
        // The whole list was parsed before, so its items are valid JSON.
        if (auto type = TypeInFront(text)) {
          objects_.push_back({.json = text, .type = *std::move(type), .path = std::move(place)});
          continue;
        }
        DRAY_TRY_VOID(Find(text, place, item));
      }
    }
    return found;
  }

  std::vector<ObjectText> objects_;
};

}  // namespace

Result<std::vector<Document>> ReadDocuments(Disk& disk,
                                            const std::string& file,
                                            WithLines with_lines) {
  DRAY_TRY(const std::string text, ReadManifestFile(disk, file));
  return DocumentsIn(text, with_lines);
}

std::vector<Document> DocumentsIn(const std::string& text, WithLines with_lines) {
  const auto chunks = api::SplitYaml(text);
  std::vector<Document> documents;
  if (!chunks) {
    documents.push_back({.failure = Located(chunks.error().message, 1)});
    return documents;
  }
  for (const api::YamlChunk& chunk : *chunks) {
    documents.push_back(ReadDocument(chunk, documents.size(), with_lines));
  }
  return documents;
}

Result<std::vector<ObjectText>> ObjectsIn(std::string_view json) {
  Finder finder;
  DRAY_TRY_VOID(finder.Find(json, "", {}));
  return finder.Take();
}

WrittenName NameIn(std::string_view json) {
  WrittenName written;
  api::JsonReader reader(json);
  std::string key;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key != "metadata" || reader.Peek() != api::JsonKind::kObject) {
      reader.Skip();
      continue;
    }
    reader.EnterObject();
    while (reader.NextKey(key)) {
      std::string* const part = key == "name"           ? &written.name
                                : key == "generateName" ? &written.prefix
                                : key == "namespace"    ? &written.namespace_
                                                        : nullptr;
      if (part != nullptr && reader.Peek() == api::JsonKind::kString) {
        reader.String(*part);
      } else {
        reader.Skip();
      }
    }
  }
  return written;
}

}  // namespace dray::manifests
