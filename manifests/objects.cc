// SPDX-License-Identifier: Apache-2.0
#include "manifests/objects.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "manifests/documents.h"
#include "manifests/files.h"
#include "manifests/places.h"

namespace dray::manifests {
namespace {

/// The field that a message of the decoder is about: `unknown field "spec.foo"`, `json: cannot
/// unmarshal … into Go struct field Pod.spec.foo of type …` or `… into the field kind of type …`.
/// Empty when it names none.
std::string_view FieldIn(std::string_view message) {
  constexpr std::string_view kStructField = "struct field ";
  if (const size_t at = message.find(kStructField); at != std::string_view::npos) {
    message.remove_prefix(at + kStructField.size());
    message = message.substr(0, message.find(' '));
    const size_t dot = message.find('.');
    return dot == std::string_view::npos ? std::string_view() : message.substr(dot + 1);
  }
  constexpr std::string_view kField = "the field ";
  if (const size_t at = message.find(kField); at != std::string_view::npos) {
    message.remove_prefix(at + kField.size());
    return message.substr(0, message.find(' '));
  }
  const size_t open = message.find('"');
  const size_t close = message.rfind('"');
  return open == close ? std::string_view() : message.substr(open + 1, close - open - 1);
}

/// The lines of a document's fields, read when the first message needs one: most documents cause
/// none, and the lines of a dump take more memory than the dump.
class Places {
 public:
  explicit Places(const Document& document) : document_(document) {}

  /// The line of `field` of the object at `item`, or of the innermost field around it.
  size_t LineOf(const std::string& item, std::string_view field) {
    if (!lines_.has_value()) {
      auto read =
          api::YamlToJson(document_.text, {.first_line = document_.first_line, .with_lines = true});
      lines_ = read ? std::move(read->lines) : api::YamlLines();
    }
    const size_t line = DocumentPlaces(*lines_, item).LineOf(field);
    return line == 0 ? document_.first_line : line;
  }

  const Document& document() const { return document_; }

 private:
  const Document& document_;
  std::optional<api::YamlLines> lines_;
};

class Reader {
 public:
  Reader(Disk& disk, const api::Scheme& scheme, size_t objects_max)
      : disk_(disk), scheme_(scheme), objects_max_(objects_max) {}

  Manifests Take() { return std::move(manifests_); }

  Result<> ReadFile(const std::string& path) {
    DRAY_TRY(const std::vector<Document> documents, ReadDocuments(disk_, path, WithLines::kNo));
    for (const Document& document : documents) {
      if (document.failure.has_value()) {
        return Fail(Refused(path, document.failure->line, document.failure->text));
      }
      for (const LineNote& key : document.duplicates) Note(path, key.line, key.text);
      if (document.json == "null") continue;
      const auto objects = ObjectsIn(document.json);
      if (!objects) return Fail(Refused(path, document.first_line, objects.error().message));
      Places places(document);
      for (const ObjectText& object : *objects) {
        DRAY_TRY_VOID(ReadObject(path, places, object));
      }
    }
    return {};
  }

 private:
  static Error Refused(const std::string& path, size_t line, std::string_view why) {
    return {.reason = StatusReason::kBadRequest,
            .message = fmt::format("{}:{}: {}", path, line, why)};
  }

  Result<> ReadObject(const std::string& path, Places& places, const ObjectText& text) {
    const api::TypeMeta& type = text.type;
    const api::KindInfo* kind = scheme_.FindKind(type.api_version, type.kind);
    if (kind == nullptr) {
      Note(path,
           text.path.empty() ? places.document().first_line : places.LineOf(text.path, ""),
           fmt::format("skipped {} {}: not a kind Dray knows", type.api_version, type.kind));
      return {};
    }
    api::DecodeIssues issues;
    auto object = api::DecodeJson(*kind, text.json, &issues);
    if (!object) {
      const std::string& why = object.error().message;
      return Fail(Refused(path, places.LineOf(text.path, FieldIn(why)), why));
    }
    for (const std::string& issue : issues) {
      Note(path, places.LineOf(text.path, FieldIn(issue)), issue);
    }
    if (manifests_.objects.size() >= objects_max_) {
      return Fail(StatusReason::kBadRequest, fmt::format("more than {} objects", objects_max_));
    }
    manifests_.objects.push_back(
        {*std::move(object), path, places.document().first_line, text.path});
    return {};
  }

  void Note(const std::string& path, size_t line, std::string_view what) {
    manifests_.notes.push_back(fmt::format("{}:{}: {}", path, line, what));
  }

  Disk& disk_;
  const api::Scheme& scheme_;
  const size_t objects_max_;
  Manifests manifests_;
};

}  // namespace

std::string PlaceOf(const ManifestObject& object) {
  const std::string place = fmt::format("{}:{}", object.file, object.line);
  return object.item.empty() ? place : fmt::format("{} ({})", place, object.item);
}

Result<Manifests> ReadManifests(Disk& disk,
                                const api::Scheme& scheme,
                                std::span<const std::string> paths,
                                size_t objects_max) {
  Reader reader(disk, scheme, objects_max);
  DRAY_TRY(const std::vector<std::string> files, ManifestFiles(disk, paths));
  for (const std::string& file : files) DRAY_TRY_VOID(reader.ReadFile(file));
  return reader.Take();
}

}  // namespace dray::manifests
