// SPDX-License-Identifier: Apache-2.0
#include "manifests/convert.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/yaml.h"
#include "base/text/printable.h"
#include "base/try.h"
#include "manifests/convert_custom.h"
#include "manifests/documents.h"
#include "manifests/files.h"
#include "manifests/json_members.h"
#include "manifests/known_kinds.h"

namespace dray::manifests {
namespace {

constexpr std::string_view kList = "List";

/// A document and its file.
struct Source {
  std::string file;
  Document document;
};

/// All documents with content. Errors: kBadRequest  one cannot be read, with its place.
Result<std::vector<Source>> ReadSources(Disk& disk,
                                        const std::vector<std::string>& paths,
                                        const Listener& remark) {
  std::vector<Source> sources;
  DRAY_TRY(const std::vector<std::string> files, ManifestFiles(disk, paths, remark));
  for (const std::string& file : files) {
    DRAY_TRY(std::vector<Document> documents, ReadDocuments(disk, file, WithLines::kYes));
    for (Document& document : documents) {
      if (document.failure.has_value()) {
        return Fail(StatusReason::kBadRequest,
                    fmt::format("{}:{}: {}", file, document.failure->line, document.failure->text));
      }
      if (document.json != "null") sources.push_back({file, std::move(document)});
    }
  }
  return sources;
}

std::vector<JsonMember>::iterator Find(std::vector<JsonMember>& members, std::string_view key) {
  return std::ranges::find(members, key, &JsonMember::key);
}

/// The list with its new `items`; a typed list follows their type.
std::string ListOf(std::string_view old, const std::vector<std::string>& items) {
  std::vector<JsonMember> list = {{"apiVersion", ""}, {"kind", ""}};
  for (JsonMember& member : MembersOf(old)) {
    if (member.key == "apiVersion" || member.key == "kind") {
      Find(list, member.key)->value = member.value;
    } else if (member.key != "items") {
      list.push_back(std::move(member));
    }
  }
  list.push_back({"items", ArrayOf(items)});
  if (list[1].value == Quoted(kList) || items.empty()) return ObjectOf(list);
  const auto first = api::ReadTypeMeta(items.front());
  if (first && !first->kind.empty()) {
    list[0].value = Quoted(first->api_version);
    list[1].value = Quoted(first->kind + std::string(kList));
  }
  return ObjectOf(list);
}

/// The comment lines at the start of a document: a licence, a title.
std::string LeadingComments(std::string_view text) {
  std::string comments;
  while (text.starts_with('#') || text.starts_with('\n')) {
    const size_t end = std::min(text.find('\n'), text.size());
    comments += fmt::format("{}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comments;
}

std::string YamlOf(const ConvertedDocument& document) {
  if (!document.text.empty() && !document.text.starts_with('{')) {
    return document.text.ends_with('\n') ? document.text : document.text + '\n';
  }
  if (document.json.empty()) return document.comments;
  // JSON is also YAML, and its escapes can show hidden characters.
  if (HasHidden(document.json)) {
    return document.comments + PrintableJson(api::PrettyJson(document.json)) + '\n';
  }
  const auto yaml = api::JsonToYaml(document.json);
  return document.comments + (yaml ? *yaml : "");
}

/// Called with each object that is to be learned, or converted.
using LearnObject = std::function<void(const api::TypeMeta& meta, std::string_view json)>;
using ConvertObject =
    std::function<Result<ConvertedItem>(const api::TypeMeta& meta, std::string_view json)>;

class Converter {
 public:
  Converter(ConvertObject convert, Losing losing, const Listener& remark)
      : convert_(std::move(convert)), losing_(losing), remark_(remark) {}

  /// Errors: kBadRequest  a document that is no object, with its place.
  static Result<> Learn(const std::vector<Source>& sources, const LearnObject& learn) {
    for (const Source& source : sources) {
      const auto objects = ObjectsIn(source.document.json);
      if (!objects) return Fail(At(source, "", objects.error()));
      for (const ObjectText& object : *objects) learn(object.type, object.json);
    }
    return {};
  }

  /// Errors: kBadRequest  a document whose contents do not match its kind, with its place.
  Result<Conversion> Convert(const std::vector<Source>& sources) {
    for (const Source& source : sources) DRAY_TRY_VOID(ConvertSource(source));
    return std::move(done_);
  }

 private:
  /// The state of a document's conversion.
  struct Progress {
    const Source& source;
    bool is_changed = false;
    std::string comments = {};
  };

  Result<> ConvertSource(const Source& source) {
    for (const LineNote& duplicate : source.document.duplicates) {
      remark_(fmt::format("note: {}:{}: {}", source.file, duplicate.line, duplicate.text));
    }
    Progress progress = {.source = source};
    DRAY_TRY(std::optional<std::string> json, ConvertJson(progress, source.document.json, "", {}));
    if (progress.is_changed) {
      done_.documents.push_back(
          {.file = source.file,
           .comments = LeadingComments(source.document.text) + progress.comments,
           .json = std::move(json).value_or(""),
           .text = ""});
    } else {
      done_.documents.push_back({.file = source.file,
                                 .comments = "",
                                 .json = source.document.json,
                                 .text = source.document.text});
    }
    return {};
  }

  /// The converted object or list; absent: it is left out. `inherited` is the item type of the list
  /// around it.
  Result<std::optional<std::string>> ConvertJson(Progress& progress,
                                                 const std::string& json,
                                                 const std::string& path,
                                                 const api::TypeMeta& inherited) {
    auto type = api::ReadTypeMeta(json);
    if (!type) return Fail(At(progress.source, path, type.error()));
    if (type->kind.empty() && type->api_version.empty()) *type = inherited;
    std::vector<JsonMember> members = MembersOf(json);
    const auto items = Find(members, "items");
    if (type->kind.ends_with(kList) && items != members.end() && items->value.starts_with('[')) {
      DRAY_TRY(const std::vector<std::string> converted,
               ConvertItems(progress, items->value, path, *type));
      return ListOf(json, converted);
    }
    Result<ConvertedItem> item = convert_(*type, json);
    if (!item) return Fail(At(progress.source, path, item.error()));
    Say(progress, path, *item);
    if (item->outcome == ConvertedItem::Outcome::kUnchanged) return json;
    progress.is_changed = true;
    if (item->outcome == ConvertedItem::Outcome::kOmitted) return std::nullopt;
    return std::move(item->object);
  }

  Result<std::vector<std::string>> ConvertItems(Progress& progress,
                                                const std::string& items,
                                                const std::string& path,
                                                const api::TypeMeta& list) {
    api::TypeMeta type = list;
    type.kind.resize(type.kind.size() - kList.size());
    if (type.kind.empty()) type = {};  // a v1 List has items of any type
    std::vector<std::string> converted;
    size_t index = 0;
    for (const std::string& item : ElementsOf(items)) {
      const std::string inner =
          fmt::format("{}{}items[{}]", path, path.empty() ? "" : ".", index++);
      DRAY_TRY(std::optional<std::string> json, ConvertJson(progress, item, inner, type));
      if (json.has_value()) converted.push_back(*std::move(json));
    }
    return converted;
  }

  static size_t LineOf(const Source& source, std::string_view path) {
    return source.document.lines.LineOf(path);
  }

  static Error At(const Source& source, const std::string& path, const Error& error) {
    return {.reason = StatusReason::kBadRequest,
            .message = fmt::format("{}:{}: {}", source.file, LineOf(source, path), error.message)};
  }

  /// Reports the remarks on an object; those on proposals also become comments of the output.
  void Say(Progress& progress, const std::string& path, const ConvertedItem& item) {
    const auto tell = [&](std::string_view word, const Remark& remark) {
      const std::string dot = path.empty() || remark.path.empty() ? "" : ".";
      remark_(fmt::format("{}{}:{}: {}: {}",
                          word,
                          progress.source.file,
                          LineOf(progress.source, path + dot + remark.path),
                          item.name,
                          remark.text));
    };
    for (const Remark& note : item.notes) tell("note: ", note);
    for (const std::string& comment : item.comments) {
      tell("proposal: ", {.path = "", .text = comment});
      progress.comments += fmt::format("# {}: {}\n", item.name, comment);
    }
    for (const Remark& refusal : item.refusals) tell("", refusal);
    const bool may_lose = losing_ == Losing::kAllowed;
    for (const Remark& loss : item.losses) tell(may_lose ? "dropped: " : "", loss);
    done_.is_refused = done_.is_refused || !item.refusals.empty();
    done_.would_lose = done_.would_lose || (!may_lose && !item.losses.empty());
  }

  ConvertObject convert_;
  const Losing losing_;
  const Listener& remark_;
  Conversion done_;
};

}  // namespace

Result<Conversion> ConvertFiles(Disk& disk,
                                const std::vector<std::string>& paths,
                                ItemConverter items,
                                Losing losing,
                                const Listener& remark) {
  DRAY_TRY(const std::vector<Source> sources, ReadSources(disk, paths, remark));
  DRAY_TRY_VOID(Converter::Learn(
      sources, [&](const api::TypeMeta& meta, std::string_view json) { items.Learn(meta, json); }));
  const auto convert = [&](const api::TypeMeta& meta, std::string_view json) {
    return items.Convert(meta, json);
  };
  return Converter(convert, losing, remark).Convert(sources);
}

Result<Conversion> ConvertCustomFiles(World& world,
                                      const std::vector<std::string>& paths,
                                      std::string api_version,
                                      Losing losing,
                                      const Listener& remark) {
  DRAY_TRY(const std::vector<Source> sources, ReadSources(world.disk, paths, remark));
  KnownKinds kinds(world, {});
  for (const Source& source : sources) kinds.Learn(source.file, std::span(&source.document, 1));
  kinds.Publish();
  const CustomItemConverter items(world, kinds, std::move(api_version));
  DRAY_TRY_VOID(items.CheckTarget());
  DRAY_TRY_VOID(Converter::Learn(sources, [](const api::TypeMeta&, std::string_view) {}));
  const auto convert = [&](const api::TypeMeta& meta, std::string_view json) {
    return items.Convert(meta, json);
  };
  return Converter(convert, losing, remark).Convert(sources);
}

std::string ToYaml(const std::vector<ConvertedDocument>& documents) {
  std::string yaml;
  for (const ConvertedDocument& document : documents) {
    if (&document != &documents.front()) yaml += "---\n";
    yaml += YamlOf(document);
  }
  return yaml;
}

std::string ToJson(const std::vector<ConvertedDocument>& documents) {
  std::vector<std::string_view> all;
  for (const ConvertedDocument& document : documents) {
    if (!document.json.empty()) all.push_back(document.json);
  }
  if (all.size() == 1) return std::string(all[0]);
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("apiVersion", "v1");
      json.Member("kind", kList);
      json.Member("items").Array([&] {
        for (const std::string_view one : all) json.Raw(one);
      });
    });
  });
}

}  // namespace dray::manifests
