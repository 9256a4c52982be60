// SPDX-License-Identifier: Apache-2.0
#include "manifests/file_text.h"

#include <algorithm>
#include <optional>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/conversion/conversion.h"
#include "manifests/convert_item.h"
#include "manifests/documents.h"
#include "manifests/places.h"

namespace dray::manifests {
namespace {

bool IsWordChar(char c, bool with_dots) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || (with_dots && c == '.');
}

/// The first whole word `word` in `text` from `from` on, before `end`; npos: there is none.
size_t FindWord(std::string_view text, std::string_view word, size_t from, size_t end) {
  const bool with_dots = word.contains('.');
  for (size_t at = text.find(word, from); at < end; at = text.find(word, at + 1)) {
    const size_t behind = at + word.size();
    const bool is_begun =
        at > 0 && IsWordChar(word.front(), with_dots) && IsWordChar(text[at - 1], with_dots);
    const bool continues = behind < text.size() && IsWordChar(word.back(), with_dots) &&
                           IsWordChar(text[behind], with_dots);
    if (behind <= end && !is_begun && !continues) return at;
  }
  return std::string::npos;
}

void AddLines(const api::YamlLines& lines, std::vector<size_t>& all) {
  all.push_back(lines.line);
  for (const auto& [key, below] : lines.members) AddLines(below, all);
}

/// The first line after `line` on which a value starts; 0: there is none.
size_t NextLine(const api::YamlLines& lines, size_t line) {
  std::vector<size_t> all;
  AddLines(lines, all);
  std::erase_if(all, [&](size_t other) { return other <= line; });
  return all.empty() ? 0 : *std::ranges::min_element(all);
}

/// The last part of a field: "expression" of "spec.selectors[0].cel.expression".
std::string_view OwnName(std::string_view field) {
  const size_t dot = field.rfind('.');
  if (dot != std::string_view::npos) field.remove_prefix(dot + 1);
  return field.substr(0, field.find('['));
}

/// The offset of a line's start; lines count from 1. The size of the text if it has fewer lines.
size_t OffsetOf(std::string_view text, size_t line) {
  size_t at = 0;
  for (; line > 1; --line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return text.size();
    ++at;
  }
  return at;
}

/// The object at `path` of a document; absent: there is none.
std::optional<ObjectText> ObjectAt(std::string_view json, std::string_view path) {
  const auto objects = ObjectsIn(json);
  if (!objects) return std::nullopt;
  const auto found = std::ranges::find(*objects, path, &ObjectText::path);
  return found == objects->end() ? std::nullopt : std::optional(*found);
}

/// The object in its hub form; empty if it is no such object, or has unknown fields.
std::string HubText(const api::KindInfo& kind, std::string_view json) {
  api::DecodeIssues issues;
  const auto object = api::DecodeJson(kind, json, &issues);
  return object && issues.empty() ? api::ToJson(api::conversion::ToHub(*object)) : std::string();
}

}  // namespace

FileText::Span FileText::DocumentAt(size_t line) const {
  const auto chunks = api::SplitYaml(text_);
  if (!chunks) return {};
  for (const api::YamlChunk& chunk : *chunks) {
    if (chunk.first_line == line)
      return {static_cast<size_t>(chunk.text.data() - text_.data()), chunk.text.size()};
  }
  return {};
}

const api::YamlLines* FileText::LinesOf(size_t line) {
  const auto known = lines_.find(line);
  if (known != lines_.end()) return &known->second;
  const Span span = DocumentAt(line);
  if (span.begin == std::string::npos) return nullptr;
  auto read = api::YamlToJson(std::string_view(text_).substr(span.begin, span.size),
                              {.first_line = line, .with_lines = true});
  if (!read) return nullptr;
  return &lines_.emplace(line, std::move(read->lines)).first->second;
}

size_t FileText::LineOf(const ObjectPlace& object, std::string_view field) {
  const api::YamlLines* const lines = LinesOf(object.line);
  const size_t line = lines == nullptr ? 0 : DocumentPlaces(*lines, object.item).LineOf(field);
  return line == 0 ? object.line : line;
}

void FileText::Put(size_t at, size_t size, std::string_view after) {
  text_.replace(at, size, after);
  lines_.clear();
}

bool FileText::Reads(const ObjectPlace& object) const {
  const Span span = DocumentAt(object.line);
  if (span.begin == std::string::npos) return false;
  const auto read = api::YamlToJson(std::string_view(text_).substr(span.begin, span.size));
  return read && ObjectAt(read->json, object.item).has_value();
}

bool FileText::Replace(const ObjectPlace& object,
                       std::string_view field,
                       std::string_view before,
                       std::string_view after) {
  const api::YamlLines* const lines = LinesOf(object.line);
  if (lines == nullptr || before.empty()) return false;
  const size_t line = LineOf(object, field);
  const size_t next = NextLine(*lines, line);
  const Span span = DocumentAt(object.line);
  size_t begin = OffsetOf(text_, line);
  const size_t end = next == 0 ? span.begin + span.size : OffsetOf(text_, next);
  if (std::min(text_.find('\n', begin), text_.size()) - begin > kLineBytesMax) return false;
  const size_t name = FindWord(text_, OwnName(field), begin, end);
  if (name != std::string::npos) begin = name + OwnName(field).size();
  const size_t at = FindWord(text_, before, begin, end);
  if (at == std::string::npos) return false;
  std::string unchanged = text_;
  Put(at, before.size(), after);
  if (Reads(object)) return true;
  text_ = std::move(unchanged);
  return false;
}

bool FileText::Convert(const ObjectPlace& object,
                       const api::KindInfo& from,
                       const api::KindInfo& to) {
  const Span span = DocumentAt(object.line);
  if (span.begin == std::string::npos) return false;
  const std::string document = text_.substr(span.begin, span.size);
  const auto read = api::YamlToJson(document);
  if (!read) return false;
  const auto old = ObjectAt(read->json, object.item);
  if (!old.has_value()) return false;
  const std::string hub = HubText(from, old->json);
  std::string unchanged = text_;
  if (!hub.empty() && Replace(object, "apiVersion", from.api_version, to.api_version)) {
    const Span now = DocumentAt(object.line);
    const auto changed = api::YamlToJson(std::string_view(text_).substr(now.begin, now.size));
    const auto same = changed ? ObjectAt(changed->json, object.item) : std::nullopt;
    if (same.has_value() && HubText(to, same->json) == hub) return true;
    text_ = std::move(unchanged);
    lines_.clear();
  }
  if (!object.item.empty()) return false;
  size_t body = 0;
  while (body < document.size() && (document[body] == '#' || document[body] == '\n'))
    body = std::min(document.find('\n', body), document.size() - 1) + 1;
  if (document.find('#', body) != std::string::npos) return false;
  ItemConverter items(std::string(to.version), api::Release::kAny);
  items.Learn(old->type, old->json);
  const Result<ConvertedItem> item = items.Convert(old->type, old->json);
  if (!item || item->outcome != ConvertedItem::Outcome::kConverted || !item->losses.empty() ||
      !item->refusals.empty()) {
    return false;
  }
  if (document.substr(body).starts_with('{')) {
    Put(span.begin + body, span.size - body, api::PrettyJson(item->object) + "\n");
    return true;
  }
  const auto yaml = api::JsonToYaml(item->object);
  if (!yaml) return false;
  Put(span.begin + body, span.size - body, *yaml);
  return true;
}

}  // namespace dray::manifests
