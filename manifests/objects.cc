// SPDX-License-Identifier: Apache-2.0
#include "manifests/objects.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/yaml.h"
#include "base/parallel.h"
#include "base/try.h"
#include "manifests/documents.h"
#include "manifests/files.h"
#include "manifests/hints.h"
#include "manifests/places.h"
#include "manifests/pod_templates.h"

namespace dray::manifests {
namespace {

/// The number of objects that a thread takes at a time.
constexpr size_t kObjectsAtOnce = 64;

/// The field that a message of the decoder names: `unknown field "spec.foo"`, `json: cannot
/// unmarshal … into Go struct field Pod.spec.foo of type …` or `… into the field kind of type …`.
/// Empty if it names none.
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

/// The lines of a document's fields. They are parsed for the first message only, because most
/// documents cause none, and the lines of a dump take more memory than the dump.
class Places {
 public:
  Places(const std::string& text, size_t first_line) : text_(text), first_line_(first_line) {}

  /// The line of `field` of the object at `item`, or of the innermost existing field around it; 1
  /// for a text that is too long to parse lines.
  size_t LineOf(const std::string& item, std::string_view field) {
    if (!lines_.has_value()) {
      auto read = api::YamlToJson(text_, {.first_line = first_line_, .with_lines = true});
      lines_ = read ? std::move(read->lines) : api::YamlLines();
    }
    const size_t line = DocumentPlaces(*lines_, item).LineOf(field);
    return line == 0 ? first_line_ : line;
  }

  size_t first_line() const { return first_line_; }

 private:
  const std::string& text_;
  const size_t first_line_;
  std::optional<api::YamlLines> lines_;
};

class Reader {
 public:
  Reader(const api::Scheme& scheme, size_t objects_max, UnknownKinds unknown)
      : scheme_(scheme), objects_max_(objects_max), unknown_(unknown) {}

  Manifests Take() { return std::move(manifests_); }

  /// Reads the text of the file `path`.
  Result<> ReadText(const std::string& path, const std::string& text) {
    DRAY_TRY(const bool is_json, ReadJson(path, text));
    if (is_json) return {};
    for (const Document& document : DocumentsIn(text, WithLines::kNo)) {
      if (document.failure.has_value()) {
        return Fail(Refused(path, document.failure->line, document.failure->text));
      }
      for (const LineNote& key : document.duplicates) Note(path, key.line, key.text);
      if (document.json == "null") continue;
      const auto objects = ObjectsIn(document.json);
      if (!objects) return Fail(Refused(path, document.first_line, objects.error().message));
      Places places(document.text, document.first_line);
      DRAY_TRY_VOID(ReadObjects(path, places, *objects));
    }
    return {};
  }

  /// Adds a note about the files themselves.
  void Note(std::string line) { manifests_.notes.push_back(std::move(line)); }

 private:
  /// Reads JSON without the YAML parser. False: the text is no JSON object.
  Result<bool> ReadJson(const std::string& path, const std::string& text) {
    if (!api::JsonReader(text).NextIs('{')) return false;
    const auto objects = ObjectsIn(text);
    if (!objects) return false;  // the YAML parser has better messages
    Places places(text, 1);
    DRAY_TRY_VOID(ReadObjects(path, places, *objects));
    return true;
  }

  static Error Refused(const std::string& path, size_t line, std::string_view why) {
    return {.reason = StatusReason::kBadRequest,
            .message = fmt::format("{}:{}: {}", path, line, why)};
  }

  /// "not a kind Dray knows; did you mean Pod?", or the versions of the kind that Dray knows.
  std::string WhyUnknown(const api::TypeMeta& type) const {
    const size_t slash = type.api_version.find('/');
    const std::string group =
        slash == std::string::npos ? std::string() : type.api_version.substr(0, slash);
    const std::string versions = VersionsOf(scheme_.kinds(), group, type.kind);
    if (!versions.empty()) return fmt::format("not a version Dray knows: that is {}", versions);
    const std::string hint = HintForKind(scheme_.kinds(), group, type.kind);
    return "not a kind Dray knows" + (hint.empty() ? hint : "; " + hint);
  }

  /// "ResourceClaim e/h0: " for an item of a list, whose line is not informative.
  static std::string WhichItem(const ObjectText& text) {
    if (text.path.empty()) return {};
    const WrittenName written = NameIn(text.json);
    const std::string_view slash = written.namespace_.empty() ? "" : "/";
    return fmt::format("{} {}{}{}: ", text.type.kind, written.namespace_, slash, written.name);
  }

  /// The result of decoding one text.
  struct Decoded {
    const api::KindInfo* kind = nullptr;  // null: unknown
    Result<api::Object> object = api::Object();
    api::DecodeIssues issues = {};
    std::vector<api::Object> jobs = {};  // for the pod templates of an unknown kind
  };

  Result<> ReadObjects(const std::string& path,
                       Places& places,
                       const std::vector<ObjectText>& texts) {
    std::vector<Decoded> decoded(texts.size());
    InParallel(texts.size(), kObjectsAtOnce, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const api::TypeMeta& type = texts[i].type;
        decoded[i].kind = scheme_.FindKind(type.api_version, type.kind);
        if (decoded[i].kind == nullptr) {
          if (unknown_ == UnknownKinds::kPodTemplates)
            decoded[i].jobs = JobsFor(type.kind, texts[i].json);
          continue;
        }
        decoded[i].object = api::DecodeJson(*decoded[i].kind, texts[i].json, &decoded[i].issues);
      }
    });
    for (size_t i = 0; i < texts.size(); ++i)
      DRAY_TRY_VOID(Add(path, places, texts[i], std::move(decoded[i])));
    return {};
  }

  Result<> Add(const std::string& path, Places& places, const ObjectText& text, Decoded decoded) {
    const api::TypeMeta& type = text.type;
    if (decoded.kind == nullptr) {
      const size_t templates = decoded.jobs.size();
      const size_t line = text.path.empty() ? places.first_line() : places.LineOf(text.path, "");
      std::string treatment = fmt::format("{}:{}: {}{} {} {}",
                                          path,
                                          line,
                                          WhichItem(text),
                                          TreatmentOf(templates),
                                          type.api_version,
                                          type.kind);
      manifests_.unknown.push_back({.note = manifests_.notes.size(),
                                    .type = type,
                                    .treatment = treatment,
                                    .is_used = templates > 0});
      Note(fmt::format("{}: {}", treatment, WhyUnknown(type)));
      for (api::Object& job : decoded.jobs) DRAY_TRY_VOID(Keep(path, places, text, std::move(job)));
      return {};
    }
    if (!decoded.object) {
      const std::string& why = decoded.object.error().message;
      return Fail(Refused(path, places.LineOf(text.path, FieldIn(why)), WhichItem(text) + why));
    }
    for (const std::string& issue : decoded.issues) {
      Note(path, places.LineOf(text.path, FieldIn(issue)), WhichItem(text) + issue);
    }
    return Keep(path, places, text, *std::move(decoded.object));
  }

  /// The words for how an object of an unknown kind with so many pod templates is handled.
  static std::string TreatmentOf(size_t templates) {
    if (templates == 0) return "skipped";
    return templates == 1 ? "took the pod template of"
                          : fmt::format("took the {} pod templates of", templates);
  }

  Result<> Keep(const std::string& path,
                const Places& places,
                const ObjectText& text,
                api::Object object) {
    if (manifests_.objects.size() >= objects_max_) {
      return Fail(StatusReason::kBadRequest, fmt::format("more than {} objects", objects_max_));
    }
    manifests_.objects.push_back({std::move(object), path, places.first_line(), text.path});
    return {};
  }

  void Note(const std::string& path, size_t line, std::string_view what) {
    manifests_.notes.push_back(fmt::format("{}:{}: {}", path, line, what));
  }

  const api::Scheme& scheme_;
  const size_t objects_max_;
  const UnknownKinds unknown_;
  Manifests manifests_;
};

}  // namespace

std::string PlaceOf(const ManifestObject& object) {
  if (object.item.empty()) return fmt::format("{}:{}", object.file, object.line);
  return fmt::format("{}: {}", object.file, WrittenNameOf(object.object));
}

Result<Manifests> ReadManifests(Disk& disk,
                                const api::Scheme& scheme,
                                std::span<const std::string> paths,
                                size_t objects_max,
                                UnknownKinds unknown) {
  Reader reader(scheme, objects_max, unknown);
  DRAY_TRY(const std::vector<std::string> files,
           ManifestFiles(disk, paths, [&](std::string line) { reader.Note(std::move(line)); }));
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, ReadManifestFile(disk, file));
    DRAY_TRY_VOID(reader.ReadText(file, text));
  }
  return reader.Take();
}

Result<Manifests> ReadManifestText(const std::string& text,
                                   const std::string& source,
                                   const api::Scheme& scheme,
                                   size_t objects_max,
                                   UnknownKinds unknown) {
  Reader reader(scheme, objects_max, unknown);
  DRAY_TRY_VOID(reader.ReadText(source, text));
  return reader.Take();
}

}  // namespace dray::manifests
