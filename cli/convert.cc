// SPDX-License-Identifier: Apache-2.0
// Documents are read, converted in memory and written only when none of them is refused, so that a
// refusal leaves nothing half done.
#include "cli/convert.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "api/json.h"
#include "api/yaml.h"
#include "cli/convert_item.h"
#include "cli/json_members.h"
#include "cli/manifest_files.h"

namespace dray::cli {
namespace {

constexpr std::string_view kList = "List";

/// A document as it was read.
struct Document {
  std::string file;
  std::string text;  // with its comments
  std::string json;
  api::YamlLines lines;
  std::vector<std::string> duplicates;  // keys given twice, of which the last one counts
};

Result<std::vector<Document>> ReadDocuments(Disk& disk, const std::vector<std::string>& paths) {
  std::vector<Document> documents;
  DRAY_TRY(const std::vector<std::string> files, ManifestFiles(disk, paths));
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, ReadManifestFile(disk, file));
    const auto chunks = api::SplitYaml(text);
    if (!chunks) {
      return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", file, chunks.error().message));
    }
    for (const api::YamlChunk& chunk : *chunks) {
      auto document =
          api::YamlToJson(chunk.text, {.first_line = chunk.first_line, .with_lines = true});
      if (!document) return Fail(BadYaml(file, chunk.first_line, document.error().message));
      if (document->json == "null") continue;
      documents.push_back({.file = file,
                           .text = std::string(chunk.text),
                           .json = std::move(document->json),
                           .lines = std::move(document->lines),
                           .duplicates = std::move(document->duplicates)});
    }
  }
  return documents;
}

/// An object of a document: the document itself, or an item of the list it is.
struct Item {
  api::TypeMeta meta;
  std::string json;
  std::string prefix;  // of its paths in the document: items[2].
};

/// Whether `json` is a list: something with items that calls itself so.
bool IsList(const api::TypeMeta& meta, const std::vector<JsonMember>& members) {
  const auto items = std::ranges::find(members, "items", &JsonMember::key);
  return meta.kind.ends_with(kList) && items != members.end() && items->value.starts_with('[');
}

/// The objects of a document, in order: itself, or the items of a list. Items of a typed list
/// (ResourceClaimList) may leave out what they are. Errors: kBadRequest  no object.
Result<std::vector<Item>> ItemsOf(const Document& document) {
  DRAY_TRY(const api::TypeMeta meta, api::ReadTypeMeta(document.json));
  const std::vector<JsonMember> members = MembersOf(document.json);
  if (!IsList(meta, members)) {
    return std::vector<Item>{{.meta = meta, .json = document.json, .prefix = ""}};
  }
  std::vector<Item> all;
  const auto items = std::ranges::find(members, "items", &JsonMember::key);
  for (std::string& json : ElementsOf(items->value)) {
    Item item = {
        .meta = {}, .json = std::move(json), .prefix = fmt::format("items[{}].", all.size())};
    DRAY_TRY(item.meta, api::ReadTypeMeta(item.json));
    if (item.meta.kind.empty() && meta.kind != kList) {
      item.meta = {.api_version = meta.api_version,
                   .kind = meta.kind.substr(0, meta.kind.size() - kList.size())};
    }
    all.push_back(std::move(item));
  }
  return all;
}

/// `document`, a list, with these items, and a typed list with the type they have now.
std::string ListOf(const Document& document, const std::vector<std::string>& items) {
  std::vector<JsonMember> list = {{"apiVersion", ""}, {"kind", ""}};
  for (JsonMember& member : MembersOf(document.json)) {
    if (member.key == "apiVersion" || member.key == "kind") {
      std::ranges::find(list, member.key, &JsonMember::key)->value = member.value;
    } else if (member.key != "items") {
      list.push_back(std::move(member));
    }
  }
  list.push_back({"items", ArrayOf(items)});
  if (list[1].value == Quoted(kList) || items.empty()) return ObjectOf(list);
  if (const auto first = api::ReadTypeMeta(items.front())) {
    list[0].value = Quoted(first->api_version);
    list[1].value = Quoted(first->kind + std::string(kList));
  }
  return ObjectOf(list);
}

/// The comment lines a document begins with: a licence, a title.
std::string LeadingComments(std::string_view text) {
  std::string comments;
  while (text.starts_with('#')) {
    const size_t end = std::min(text.find('\n'), text.size());
    comments += fmt::format("{}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comments;
}

class Converter {
 public:
  Converter(ItemConverter items, const ConvertOptions& options, std::FILE* notes)
      : items_(std::move(items)), options_(options), notes_(notes) {}

  /// Errors: kBadRequest  a document that cannot be read as what it says it is.
  Result<> Run(const std::vector<Document>& documents) {
    for (const Document& document : documents) {
      DRAY_TRY_VOID(ForEachItem(document, [&](const Item& item) -> Result<> {
        items_.Learn(item.meta, item.json);
        return {};
      }));
    }
    for (const Document& document : documents) DRAY_TRY_VOID(ConvertDocument(document));
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
    const std::string one =
        all.size() == 1
            ? all[0]
            : fmt::format(R"({{"apiVersion":"v1","kind":"List","items":{}}})", ArrayOf(all));
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

  static Result<> ForEachItem(const Document& document,
                              const std::function<Result<>(const Item&)>& visit) {
    const auto items = ItemsOf(document);
    if (!items) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format("{}:{}: {}", document.file, document.lines.line, items.error().message));
    }
    for (const Item& item : *items) DRAY_TRY_VOID(visit(item));
    return {};
  }

  Result<> ConvertDocument(const Document& document) {
    for (const std::string& duplicate : document.duplicates) {
      fmt::print(notes_, "note: {}: {}\n", document.file, duplicate);
    }
    Output output = {.comments = LeadingComments(document.text), .json = "", .text = ""};
    bool is_changed = false;
    bool is_list = false;
    std::vector<std::string> kept;
    DRAY_TRY_VOID(ForEachItem(document, [&](const Item& item) -> Result<> {
      is_list = !item.prefix.empty();
      Result<ConvertedItem> converted = items_.Convert(item.meta, item.json);
      if (!converted) return Fail(At(document, item.prefix, converted.error()));
      Say(document, item.prefix, *converted, output);
      is_changed = is_changed || converted->outcome != ConvertedItem::Outcome::kUnchanged;
      if (converted->outcome == ConvertedItem::Outcome::kUnchanged) kept.push_back(item.json);
      if (converted->outcome == ConvertedItem::Outcome::kConverted) {
        kept.push_back(std::move(converted->object));
      }
      return {};
    }));
    if (!is_changed) {
      output = {.comments = "", .json = document.json, .text = document.text};
    } else if (is_list) {
      output.json = ListOf(document, kept);
    } else if (!kept.empty()) {
      output.json = std::move(kept.front());
    }
    outputs_.push_back(std::move(output));
    return {};
  }

  static Error At(const Document& document, const std::string& prefix, const Error& error) {
    return {.reason = StatusReason::kBadRequest,
            .message = fmt::format(
                "{}:{}: {}", document.file, document.lines.LineOf(prefix), error.message)};
  }

  /// Prints what there is to say about an item; proposals are explained in the output, too.
  void Say(const Document& document,
           const std::string& prefix,
           const ConvertedItem& item,
           Output& output) {
    const auto print = [&](std::string_view word, const Remark& remark) {
      const std::string path = prefix + remark.path;
      fmt::print(notes_,
                 "{}{}:{}: {}: {}\n",
                 word,
                 document.file,
                 document.lines.LineOf(path),
                 item.name,
                 remark.text);
    };
    for (const Remark& note : item.notes) print("note: ", note);
    for (const std::string& comment : item.comments) {
      print("proposal: ", {.path = "", .text = comment});
      output.comments += fmt::format("# {}: {}\n", item.name, comment);
    }
    for (const Remark& refusal : item.refusals) print("", refusal);
    const bool may_lose = options_.losing == Losing::kAllowed;
    for (const Remark& loss : item.losses) print(may_lose ? "dropped: " : "", loss);
    is_refused_ = is_refused_ || !item.refusals.empty();
    would_lose_ = would_lose_ || (!may_lose && !item.losses.empty());
  }

  ItemConverter items_;
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
      slash == std::string_view::npos ? ItemConverter::kGroup : word.substr(0, slash);
  const std::string version(slash == std::string_view::npos ? word : word.substr(slash + 1));
  std::set<std::string_view> known;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (kind->group == ItemConverter::kGroup && kind->served && kind->in.Has(release)) {
      known.insert(kind->version);
    }
  }
  if (group == ItemConverter::kGroup && known.contains(version)) return version;
  std::string names;
  for (const std::string_view one : known)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
  const std::string where =
      release == api::Release::kAny ? "" : fmt::format(" in {}", api::ReleaseName(release));
  return Fail(StatusReason::kBadRequest,
              fmt::format("--to: {} is no version of {}{}; there are {}",
                          word,
                          ItemConverter::kGroup,
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
  DRAY_TRY(const std::vector<Document> documents, ReadDocuments(world.disk, options.paths));
  Converter converter(ItemConverter(std::move(version), release), options, notes);
  DRAY_TRY_VOID(converter.Run(documents));
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
