// SPDX-License-Identifier: Apache-2.0
// Documents are read, converted in memory and written only when none of them is refused, so that a
// refusal leaves nothing half done.
#include "cli/convert.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/feature_gates.h"
#include "manifests/convert_item.h"
#include "manifests/documents.h"
#include "manifests/files.h"
#include "manifests/json_members.h"

namespace dray::cli {
namespace {

constexpr std::string_view kList = "List";

/// A document and the file it stands in.
struct Source {
  std::string file;
  manifests::Document document;
};

/// All documents with content. Errors: kBadRequest  one cannot be read, with its place.
Result<std::vector<Source>> ReadSources(Disk& disk, const std::vector<std::string>& paths) {
  std::vector<Source> sources;
  DRAY_TRY(const std::vector<std::string> files, manifests::ManifestFiles(disk, paths));
  for (const std::string& file : files) {
    DRAY_TRY(std::vector<manifests::Document> documents,
             manifests::ReadDocuments(disk, file, manifests::WithLines::kYes));
    for (manifests::Document& document : documents) {
      if (document.failure.has_value()) {
        return Fail(StatusReason::kBadRequest,
                    fmt::format("{}:{}: {}", file, document.failure->line, document.failure->text));
      }
      if (document.json != "null") sources.push_back({file, std::move(document)});
    }
  }
  return sources;
}

std::vector<manifests::JsonMember>::iterator Find(std::vector<manifests::JsonMember>& members,
                                                  std::string_view key) {
  return std::ranges::find(members, key, &manifests::JsonMember::key);
}

/// What a list is once its items are `items`: a typed one follows their type.
std::string ListOf(std::string_view old, const std::vector<std::string>& items) {
  std::vector<manifests::JsonMember> list = {{"apiVersion", ""}, {"kind", ""}};
  for (manifests::JsonMember& member : manifests::MembersOf(old)) {
    if (member.key == "apiVersion" || member.key == "kind") {
      Find(list, member.key)->value = member.value;
    } else if (member.key != "items") {
      list.push_back(std::move(member));
    }
  }
  list.push_back({"items", manifests::ArrayOf(items)});
  if (list[1].value == manifests::Quoted(kList) || items.empty()) return manifests::ObjectOf(list);
  const auto first = api::ReadTypeMeta(items.front());
  if (first && !first->kind.empty()) {
    list[0].value = manifests::Quoted(first->api_version);
    list[1].value = manifests::Quoted(first->kind + std::string(kList));
  }
  return manifests::ObjectOf(list);
}

/// The comment lines a document begins with: a licence, a title.
std::string LeadingComments(std::string_view text) {
  std::string comments;
  while (text.starts_with('#') || text.starts_with('\n')) {
    const size_t end = std::min(text.find('\n'), text.size());
    comments += fmt::format("{}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comments;
}

class Converter {
 public:
  Converter(manifests::ItemConverter items, const ConvertOptions& options, std::FILE* notes)
      : items_(std::move(items)), options_(options), notes_(notes) {}

  /// Errors: kBadRequest  a document that is not what it says, with its place.
  Result<> Run(const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      const auto objects = manifests::ObjectsIn(source.document.json);
      if (!objects) return Fail(At(source, "", objects.error()));
      for (const manifests::ObjectText& object : *objects) items_.Learn(object.type, object.json);
    }
    for (const Source& source : sources) DRAY_TRY_VOID(ConvertSource(source));
    return {};
  }

  /// Something cannot be converted at all.
  bool is_refused() const { return is_refused_; }
  /// Something would be lost, and may not.
  bool would_lose() const { return would_lose_; }

  void Write(std::FILE* out) const {
    if (options_.output == DocumentFormat::kYaml) {
      for (const Output& output : outputs_) {
        if (&output != &outputs_.front()) fmt::print(out, "---\n");
        fmt::print(out, "{}", ToYaml(output));
      }
      return;
    }
    std::vector<std::string> all;
    for (const Output& output : outputs_) {
      if (!output.json.empty()) all.push_back(output.json);
    }
    const std::string one = all.size() == 1
                                ? all[0]
                                : fmt::format(R"({{"apiVersion":"v1","kind":"List","items":{}}})",
                                              manifests::ArrayOf(all));
    fmt::print(out, "{}\n", api::PrettyJson(one));
  }

 private:
  /// A document to be written.
  struct Output {
    std::string comments;  // YAML lines before it
    std::string json;      // empty: only the comments
    std::string text;      // as it was read, when nothing changed
  };

  static std::string ToYaml(const Output& output) {
    if (!output.text.empty() && !output.text.starts_with('{')) {
      return output.text.ends_with('\n') ? output.text : output.text + '\n';
    }
    if (output.json.empty()) return output.comments;
    const auto yaml = api::JsonToYaml(output.json);
    return output.comments + (yaml ? *yaml : "");
  }

  /// A document on its way.
  struct Progress {
    const Source& source;
    bool is_changed = false;
    std::string comments = {};
  };

  Result<> ConvertSource(const Source& source) {
    for (const manifests::LineNote& duplicate : source.document.duplicates) {
      fmt::print(notes_, "note: {}:{}: {}\n", source.file, duplicate.line, duplicate.text);
    }
    Progress progress = {.source = source};
    DRAY_TRY(std::optional<std::string> json, ConvertJson(progress, source.document.json, "", {}));
    if (progress.is_changed) {
      outputs_.push_back({.comments = LeadingComments(source.document.text) + progress.comments,
                          .json = std::move(json).value_or(""),
                          .text = ""});
    } else {
      outputs_.push_back(
          {.comments = "", .json = source.document.json, .text = source.document.text});
    }
    return {};
  }

  /// What an object or list becomes; nothing when it is left out. `inherited` is what the list
  /// around it says about its items.
  Result<std::optional<std::string>> ConvertJson(Progress& progress,
                                                 const std::string& json,
                                                 const std::string& path,
                                                 const api::TypeMeta& inherited) {
    auto type = api::ReadTypeMeta(json);
    if (!type) return Fail(At(progress.source, path, type.error()));
    if (type->kind.empty() && type->api_version.empty()) *type = inherited;
    std::vector<manifests::JsonMember> members = manifests::MembersOf(json);
    const auto items = Find(members, "items");
    if (type->kind.ends_with(kList) && items != members.end() && items->value.starts_with('[')) {
      DRAY_TRY(const std::vector<std::string> converted,
               ConvertItems(progress, items->value, path, *type));
      return ListOf(json, converted);
    }
    Result<manifests::ConvertedItem> item = items_.Convert(*type, json);
    if (!item) return Fail(At(progress.source, path, item.error()));
    Say(progress, path, *item);
    if (item->outcome == manifests::ConvertedItem::Outcome::kUnchanged) return json;
    progress.is_changed = true;
    if (item->outcome == manifests::ConvertedItem::Outcome::kOmitted) return std::nullopt;
    return std::move(item->object);
  }

  Result<std::vector<std::string>> ConvertItems(Progress& progress,
                                                const std::string& items,
                                                const std::string& path,
                                                const api::TypeMeta& list) {
    api::TypeMeta type = list;
    type.kind.resize(type.kind.size() - kList.size());
    if (type.kind.empty()) type = {};  // a v1 List holds anything
    std::vector<std::string> converted;
    size_t index = 0;
    for (const std::string& item : manifests::ElementsOf(items)) {
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

  /// Prints what there is to say about an object; proposals are explained in the output, too.
  void Say(Progress& progress, const std::string& path, const manifests::ConvertedItem& item) {
    const auto print = [&](std::string_view word, const manifests::Remark& remark) {
      const std::string dot = path.empty() || remark.path.empty() ? "" : ".";
      fmt::print(notes_,
                 "{}{}:{}: {}: {}\n",
                 word,
                 progress.source.file,
                 LineOf(progress.source, path + dot + remark.path),
                 item.name,
                 remark.text);
    };
    for (const manifests::Remark& note : item.notes) print("note: ", note);
    for (const std::string& comment : item.comments) {
      print("proposal: ", {.path = "", .text = comment});
      progress.comments += fmt::format("# {}: {}\n", item.name, comment);
    }
    for (const manifests::Remark& refusal : item.refusals) print("", refusal);
    const bool may_lose = options_.losing == Losing::kAllowed;
    for (const manifests::Remark& loss : item.losses) print(may_lose ? "dropped: " : "", loss);
    is_refused_ = is_refused_ || !item.refusals.empty();
    would_lose_ = would_lose_ || (!may_lose && !item.losses.empty());
  }

  manifests::ItemConverter items_;
  const ConvertOptions& options_;
  std::FILE* notes_;
  std::vector<Output> outputs_;
  bool is_refused_ = false;
  bool would_lose_ = false;
};

/// v1beta1 of "resource.k8s.io/v1beta1" and of "v1beta1".
/// Errors: kBadRequest  not a version of the group, or not in the release.
Result<std::string> VersionOf(std::string_view word, api::Release release) {
  const size_t slash = word.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? manifests::ItemConverter::kGroup : word.substr(0, slash);
  const std::string version(slash == std::string_view::npos ? word : word.substr(slash + 1));
  std::set<std::string_view> known;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (kind->group == manifests::ItemConverter::kGroup && kind->served && kind->in.Has(release)) {
      known.insert(kind->version);
    }
  }
  if (group == manifests::ItemConverter::kGroup && known.contains(version))
    return std::string(version);
  std::string names;
  for (const std::string_view one : known)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
  const std::string where =
      release == api::Release::kAny ? "" : fmt::format(" in {}", api::ReleaseName(release));
  return Fail(StatusReason::kBadRequest,
              fmt::format("--to: {} is no version of {}{}; there are {}",
                          word,
                          manifests::ItemConverter::kGroup,
                          where,
                          names));
}

/// The release that `word` names, 1.26 to 1.37; all of them when empty. The forms of objects are
/// known of more releases than can be played. Errors: kBadRequest  another word.
Result<api::Release> ReleaseOf(std::string_view word) {
  if (word.empty()) return api::Release::kAny;
  for (int minor = api::MinorOf(api::Release::kFirst); minor <= api::MinorOf(api::Release::kNewest);
       ++minor) {
    if (word == fmt::format("1.{}", minor)) return static_cast<api::Release>(minor);
  }
  return Fail(StatusReason::kBadRequest,
              fmt::format("--release: {} is none of 1.{} to 1.{}",
                          word,
                          api::MinorOf(api::Release::kFirst),
                          api::MinorOf(api::Release::kNewest)));
}

Result<int> Run(World& world, const ConvertOptions& options, std::FILE* out, std::FILE* notes) {
  DRAY_TRY(const api::Release release, ReleaseOf(options.release));
  DRAY_TRY(std::string version, VersionOf(options.version, release));
  DRAY_TRY(const std::vector<Source> sources, ReadSources(world.disk, options.paths));
  Converter converter(manifests::ItemConverter(std::move(version), release), options, notes);
  DRAY_TRY_VOID(converter.Run(sources));
  if (converter.is_refused() || converter.would_lose()) {
    fmt::print(notes,
               "dray convert: nothing written{}\n",
               converter.is_refused() ? "" : "; --allow-loss drops what has no place");
    return 1;
  }
  converter.Write(out);
  return 0;
}

}  // namespace

int Convert(World& world, const ConvertOptions& options, std::FILE* out, std::FILE* notes) {
  const Result<int> code = Run(world, options, out, notes);
  if (code) return *code;
  fmt::print(notes, "dray convert: {}\n", code.error().message);
  return 2;
}

}  // namespace dray::cli
