// SPDX-License-Identifier: Apache-2.0
// Walks the tree once and makes the JSON text of each node from those of its children. It counts
// and fails where Go's library does, so that users get its messages and its limit on aliases.
// Errors that Go finds only when it turns maps into JSON are kept until the walk is complete.
#include "api/codec/yaml.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_place.h"
#include "api/codec/json_reader.h"
#include "api/codec/yaml_scalar.h"
#include "api/codec/yaml_tree.h"
#include "api/text/cut.h"
#include "api/text/go_quote.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

Failure RefuseText(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

// The part of all decoded values that may come from aliases: 99 % in small documents, 10 % in
// large.
constexpr size_t kAliasCountFree = 100;
constexpr size_t kDecodeCountFree = 1000;
constexpr size_t kAliasRatioLow = 400'000;
constexpr size_t kAliasRatioHigh = 4'000'000;
constexpr size_t kMapKeyTextMax = 1000;  // of a key that is no scalar, in a message

double AllowedAliasRatio(size_t decode_count) {
  if (decode_count <= kAliasRatioLow) return 0.99;
  if (decode_count >= kAliasRatioHigh) return 0.10;
  return 0.99 - 0.89 * (static_cast<double>(decode_count - kAliasRatioLow) /
                        static_cast<double>(kAliasRatioHigh - kAliasRatioLow));
}

bool IsMerge(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar && node.text == "<<" &&
         (node.implicit || node.tag == "tag:yaml.org,2002:merge");
}

// A scalar as Go's %#v shows it.
std::string GoSyntax(const YamlScalar& value) {
  if (std::holds_alternative<std::monostate>(value)) return "interface {}(nil)";
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const uint64_t* number = std::get_if<uint64_t>(&value)) return fmt::format("0x{:x}", *number);
  if (const double* number = std::get_if<double>(&value)) return FormatGoDouble(*number);
  return GoQuote(std::get<std::string>(value));
}

Result<YamlScalar> Resolve(const YamlNode& node) {
  if (node.tag.empty() && !node.implicit) return YamlScalar(node.text);
  Result<YamlScalar> value = ResolveYamlScalar(node.tag, node.text);
  if (!value) return RefuseText("yaml: " + value.error().message);
  return value;
}

// The same for a whole node: for the message about keys that are no scalars, cut when it gets long.
std::string GoSyntax(const YamlNode& node, size_t room) {
  if (room == 0) return "...";
  if (node.kind == YamlNode::Kind::kAlias) return GoSyntax(*node.target, room / 2);
  if (node.kind == YamlNode::Kind::kScalar) {
    const Result<YamlScalar> value = Resolve(node);
    return value ? GoSyntax(*value) : GoQuote(node.text);
  }
  const bool is_map = node.kind == YamlNode::Kind::kMapping;
  std::vector<std::string> parts;
  size_t size = 0;
  for (size_t i = 0; i < node.children.size() && size < room; i += is_map ? 2 : 1) {
    std::string part = GoSyntax(*node.children[i], room / 2);
    if (is_map) part += ':' + GoSyntax(*node.children[i + 1], room / 2);
    size += part.size();
    parts.push_back(std::move(part));
  }
  if (is_map) std::ranges::sort(parts);
  return fmt::format("{}{{{}}}",
                     is_map ? "map[interface {}]interface {}" : "[]interface {}",
                     fmt::join(parts, ", "));
}

// JSON text in pieces. Long texts are moved, not copied, into the enclosing text, because a value
// is enclosed as many times as the document is deep.
class Pieces {
 public:
  void Append(std::string_view text) {
    if (pieces_.empty()) pieces_.emplace_back();
    pieces_.back().append(text);
    size_ += text.size();
  }
  void Append(Pieces part) {
    if (part.size_ <= kCopiedMax) {
      for (const std::string& piece : part.pieces_) Append(piece);
      return;
    }
    size_ += part.size_;
    pieces_.splice(pieces_.end(), part.pieces_);
  }
  std::string Whole() && {
    if (pieces_.size() == 1) return std::move(pieces_.front());
    std::string text;
    text.reserve(size_);
    for (const std::string& piece : pieces_) text += piece;
    return text;
  }

 private:
  static constexpr size_t kCopiedMax = 256;  // moving something shorter takes longer

  std::list<std::string> pieces_;
  size_t size_ = 0;
};

struct Value {
  Pieces json;
  YamlLines lines;
};

// A key of a Go map: 1 and "1" are different ones, with the same text in JSON.
struct Key {
  size_t type = 0;
  std::string text;
  auto operator<=>(const Key&) const = default;
};

using Members = std::map<Key, Value>;

class YamlDecoder {
 public:
  YamlDecoder(const YamlOptions& options, size_t text_size)
      : options_(options),
        expanded_max_(std::min(kYamlJsonMax, kYamlExpandedMin + kYamlExpandedPerByte * text_size)) {
  }

  Result<YamlDocument> Document(const YamlTree& tree) {
    YamlDocument document;
    document.json = "null";
    document.lines.line = options_.first_line;
    if (tree.root != nullptr) {
      DRAY_TRY(Value value, Node(*tree.root));
      document.json = std::move(value.json).Whole();
      document.lines = std::move(value.lines);
    }
    if (late_failure_) return RefuseText(*std::move(late_failure_));
    document.duplicates = std::move(duplicates_);
    return document;
  }

 private:
  Result<> Count() {
    ++decode_count_;
    if (alias_depth_ > 0) ++alias_count_;
    const double ratio = static_cast<double>(alias_count_) / static_cast<double>(decode_count_);
    if (alias_count_ > kAliasCountFree && decode_count_ > kDecodeCountFree &&
        ratio > AllowedAliasRatio(decode_count_)) {
      return RefuseText("yaml: document contains excessive aliasing");
    }
    return {};
  }

  Result<Value> Node(const YamlNode& node) {
    DRAY_TRY_VOID(Count());
    Value value;
    value.lines.line = node.line + options_.first_line - 1;
    switch (node.kind) {
      case YamlNode::Kind::kScalar: {
        DRAY_TRY(const std::string json, Scalar(node));
        value.json.Append(json);
        return value;
      }
      case YamlNode::Kind::kAlias: {
        DRAY_TRY_VOID(EnterAlias(node));
        DRAY_TRY(value, Node(*node.target));
        LeaveAlias(node);
        return value;
      }
      case YamlNode::Kind::kSequence: {
        DRAY_TRY_VOID(Descend(node));
        DRAY_TRY_VOID(Sequence(node, value));
        --depth_;
        return value;
      }
      case YamlNode::Kind::kMapping: {
        DRAY_TRY_VOID(Descend(node));
        Members members;
        DRAY_TRY_VOID(Mapping(node, members));
        --depth_;
        WriteObject(members, value);
        return value;
      }
    }
    return value;
  }

  Result<> Descend(const YamlNode& node) {
    if (++depth_ <= kYamlDepthMax) return {};
    return RefuseText(
        fmt::format("yaml: line {}: exceeded max depth of {}", node.line, kYamlDepthMax));
  }

  Result<> EnterAlias(const YamlNode& node) {
    if (!inside_.insert(&node).second) {
      return RefuseText(fmt::format("yaml: anchor '{}' value contains itself", node.text));
    }
    ++alias_depth_;
    return {};
  }

  void LeaveAlias(const YamlNode& node) {
    --alias_depth_;
    inside_.erase(&node);
  }

  Result<std::string> Scalar(const YamlNode& node) {
    DRAY_TRY(const YamlScalar scalar, Resolve(node));
    std::string json = "null";
    if (const bool* flag = std::get_if<bool>(&scalar)) {
      json = *flag ? "true" : "false";
    } else if (const int64_t* integer = std::get_if<int64_t>(&scalar)) {
      json = std::to_string(*integer);
    } else if (const uint64_t* large = std::get_if<uint64_t>(&scalar)) {
      json = std::to_string(*large);
    } else if (const double* number = std::get_if<double>(&scalar)) {
      json = Double(*number);
    } else if (const std::string* text = std::get_if<std::string>(&scalar)) {
      json.clear();
      QuoteJson(IsUtf8(*text) ? *text : ReplaceBadUtf8(*text), json);
    }
    DRAY_TRY_VOID(CountText(json.size()));
    return json;
  }

  Result<> CountText(size_t size) {
    written_ += size;
    if (written_ <= expanded_max_) return {};
    return RefuseText(fmt::format("yaml: document expands to more than {} bytes", expanded_max_));
  }

  // Only base64 with a !!binary tag can bring such bytes.
  static std::string ReplaceBadUtf8(std::string_view text) {
    std::string good;
    while (!text.empty()) {
      size_t size = std::min<size_t>(4, text.size());
      while (size > 1 && !IsUtf8(text.substr(0, size))) --size;
      const std::string_view part = text.substr(0, size);
      good += IsUtf8(part) ? part : "\uFFFD";
      text.remove_prefix(size);
    }
    return good;
  }

  std::string Double(double number) {
    if (std::isfinite(number)) return FormatJsonDouble(number);
    const std::string_view name = std::isnan(number) ? "NaN" : number < 0 ? "-Inf" : "+Inf";
    if (!late_failure_) late_failure_ = fmt::format("json: unsupported value: {}", name);
    return "null";
  }

  Result<> Sequence(const YamlNode& node, Value& value) {
    value.json.Append("[");
    for (size_t i = 0; i < node.children.size(); ++i) {
      DRAY_TRY(Value item, Node(*node.children[i]));
      if (i > 0) value.json.Append(",");
      value.json.Append(std::move(item.json));
      if (options_.with_lines)
        value.lines.members.emplace(std::to_string(i), std::move(item.lines));
    }
    value.json.Append("]");
    return {};
  }

  Result<> Mapping(const YamlNode& node, Members& members) {
    for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const YamlNode& key_node = *node.children[i];
      const YamlNode& value_node = *node.children[i + 1];
      if (IsMerge(key_node)) {
        DRAY_TRY_VOID(Merge(value_node, members));
        continue;
      }
      DRAY_TRY_VOID(Count());
      DRAY_TRY(const YamlScalar scalar, KeyScalar(key_node));
      DRAY_TRY(Value value, Node(value_node));
      value.lines.line = key_node.line + options_.first_line - 1;
      Key key{.type = scalar.index(), .text = KeyText(scalar, value_node)};
      DRAY_TRY_VOID(CountText(key.text.size()));
      if (!members.insert_or_assign(std::move(key), std::move(value)).second) {
        NoteDuplicate(value_node.line, scalar);
      }
    }
    return {};
  }

  void NoteDuplicate(size_t line, const YamlScalar& key) {
    if (duplicates_.size() == kDecodeIssuesMax) return;
    duplicates_.push_back(
        fmt::format("line {}: key {} already set in map", line, Cut(GoSyntax(key), kPlaceNameMax)));
  }

  Result<YamlScalar> KeyScalar(const YamlNode& node) {
    const YamlNode* key = &node;
    if (key->kind == YamlNode::Kind::kAlias) {
      ++alias_depth_;
      const Result<> counted = Count();
      --alias_depth_;
      DRAY_TRY_VOID(counted);
      key = key->target;
    }
    if (key->kind == YamlNode::Kind::kScalar) return Resolve(*key);
    return RefuseText(fmt::format("yaml: invalid map key: {}", GoSyntax(*key, kMapKeyTextMax)));
  }

  std::string KeyText(const YamlScalar& key, const YamlNode& value_node) {
    if (const bool* flag = std::get_if<bool>(&key)) return *flag ? "true" : "false";
    if (const int64_t* number = std::get_if<int64_t>(&key)) return std::to_string(*number);
    if (const double* number = std::get_if<double>(&key))
      return FormatGoFloat(static_cast<float>(*number));
    if (const std::string* text = std::get_if<std::string>(&key)) return *text;
    const bool is_null = std::holds_alternative<std::monostate>(key);
    if (!late_failure_) {
      late_failure_ = fmt::format("unsupported map key of type: {}, key: {}, value: {}",
                                  is_null ? "%!s(<nil>)" : "uint64",
                                  is_null ? "<nil>" : GoSyntax(key),
                                  GoSyntax(value_node, kMapKeyTextMax));
    }
    return "";
  }

  // Later entries replace earlier ones, so of a list of mappings the last is merged first.
  Result<> Merge(const YamlNode& node, Members& members) {
    if (node.kind == YamlNode::Kind::kSequence) {
      for (size_t i = node.children.size(); i-- > 0;)
        DRAY_TRY_VOID(MergeOne(*node.children[i], members));
      return {};
    }
    return MergeOne(node, members);
  }

  Result<> MergeOne(const YamlNode& node, Members& members) {
    const bool is_alias = node.kind == YamlNode::Kind::kAlias;
    const YamlNode& mapping = is_alias ? *node.target : node;
    if (mapping.kind != YamlNode::Kind::kMapping) {
      return RefuseText("yaml: map merge requires map or sequence of maps as the value");
    }
    DRAY_TRY_VOID(Count());
    if (is_alias) DRAY_TRY_VOID(EnterAlias(node));
    if (is_alias) DRAY_TRY_VOID(Count());
    DRAY_TRY_VOID(Descend(mapping));
    DRAY_TRY_VOID(Mapping(mapping, members));
    --depth_;
    if (is_alias) LeaveAlias(node);
    return {};
  }

  void WriteObject(Members& members, Value& value) const {
    std::map<std::string_view, Value*> by_text;
    for (auto& [key, member] : members) by_text.insert_or_assign(key.text, &member);
    char before = '{';
    for (const auto& [text, member] : by_text) {
      std::string name(1, std::exchange(before, ','));
      QuoteJson(text, name);
      value.json.Append(name += ':');
      value.json.Append(std::move(member->json));
      if (options_.with_lines) value.lines.members.emplace(text, std::move(member->lines));
    }
    value.json.Append(by_text.empty() ? "{}" : "}");
  }

  YamlOptions options_;
  size_t expanded_max_;
  std::vector<std::string> duplicates_;
  std::optional<std::string> late_failure_;
  std::set<const YamlNode*> inside_;  // aliases being followed
  size_t decode_count_ = 0;
  size_t alias_count_ = 0;
  size_t alias_depth_ = 0;
  size_t depth_ = 0;
  size_t written_ = 0;
};

}  // namespace

Result<YamlDocument> YamlToJson(std::string_view text, const YamlOptions& options) {
  DRAY_TRY(const YamlTree tree, ReadYamlTree(text));
  return YamlDecoder(options, text.size()).Document(tree);
}

std::string DuplicateKeysMessage(const std::vector<std::string>& duplicates) {
  return fmt::format("yaml: unmarshal errors:\n  {}", fmt::join(duplicates, "\n  "));
}

Result<std::vector<YamlChunk>> SplitYaml(std::string_view text) {
  if (text.size() > kYamlTextMax) {
    return RefuseText(fmt::format("yaml: text is longer than {} bytes", kYamlTextMax));
  }
  std::vector<YamlChunk> chunks;
  size_t begin = 0;
  size_t first_line = 1;
  const auto close = [&](size_t end, size_t next_begin, size_t next_line) {
    if (end > begin)
      chunks.push_back({.text = text.substr(begin, end - begin), .first_line = first_line});
    begin = next_begin;
    first_line = next_line;
  };
  size_t line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view rest = text.substr(at, end - at);
    if (rest.starts_with("---")) {
      rest.remove_prefix(3);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n\v\f"), rest.size()));
      rest = rest.substr(0, rest.find_last_not_of(" \t\r\n\v\f") + 1);
      if (!rest.empty() && rest[0] != '#') {
        return RefuseText(fmt::format("invalid Yaml document separator: {}", rest));
      }
      close(at, end, line + 1);
    }
    at = end;
    if (chunks.size() > kYamlDocumentsMax) break;
  }
  close(text.size(), text.size(), line);
  if (chunks.size() > kYamlDocumentsMax) {
    return RefuseText(fmt::format("yaml: text has more than {} documents", kYamlDocumentsMax));
  }
  return chunks;
}

}  // namespace dray::api::inline codec
