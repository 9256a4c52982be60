// SPDX-License-Identifier: Apache-2.0
#include "api/codec/tree_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/duplicate_fields.h"
#include "api/codec/yaml_scalar.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

class TreeReader {
 public:
  TreeReader(std::string_view json, const TreeLimits& limits)
      : reader_(json), limits_(limits), texts_(json.size()) {}

  Result<Tree> Read() {
    Tree root;
    do {
      Tree value;
      if (!Begin(value)) Place(std::move(value), root);
      while (!open_.empty() && !Advance()) Place(Close(), root);
    } while (!open_.empty() && !has_stopped());
    if (!refusal_.empty()) return Fail(StatusReason::kBadRequest, std::move(refusal_));
    if (!reader_.Finish()) return Fail(reader_.error());
    return root;
  }

  /// Whether some object named a member twice.
  bool has_duplicates() const { return has_duplicates_; }

 private:
  // An object or list that is being read: where its members or elements begin in the stacks.
  struct Open {
    bool is_object;
    size_t begin;
  };

  bool has_stopped() const { return reader_.failed() || !refusal_.empty(); }

  void Refuse(std::string why) {
    if (!has_stopped()) refusal_ = std::move(why);
    reader_.Stop();
  }

  // Reads a value without parts into `value`; true where an object or list began instead.
  bool Begin(Tree& value) {
    if (++values_ > limits_.values_max) Refuse("too many values");
    switch (reader_.Peek()) {
      case JsonKind::kNull: reader_.Null(); return false;
      case JsonKind::kBool: value = Tree(reader_.Bool()); return false;
      case JsonKind::kNumber: value = Number(reader_.Number()); return false;
      case JsonKind::kString: {
        std::string_view text;
        value = texts_.Make(reader_.String(scratch_, text));
        return false;
      }
      case JsonKind::kArray: return Enter(false);
      case JsonKind::kObject: return Enter(true);
      case JsonKind::kInvalid:
        reader_.Skip();  // reports the error
        return false;
    }
    return false;
  }

  bool Enter(bool is_object) {
    if (open_.size() == limits_.depth_max) {
      Refuse("exceeded max depth");
      return false;
    }
    if (is_object) {
      reader_.EnterObject();
    } else {
      reader_.EnterArray();
    }
    open_.push_back(
        {.is_object = is_object, .begin = is_object ? members_.size() : elements_.size()});
    return true;
  }

  // Goes on to the next member or element; false where there is none.
  bool Advance() {
    if (!open_.back().is_object) return reader_.NextElement();
    std::string_view name;
    if (!reader_.NextKey(name)) return false;
    members_.emplace_back(texts_.Make(name), Tree());
    return true;
  }

  // Builds the innermost object or list from its values.
  Tree Close() {
    const Open open = open_.back();
    open_.pop_back();
    if (!open.is_object) {
      Tree list = Tree::List(std::span(elements_).subspan(open.begin));
      elements_.resize(open.begin);
      return list;
    }
    const std::span members = std::span(members_).subspan(open.begin);
    Tree object = Tree::Object(members);
    has_duplicates_ |= object.size() < members.size();
    members_.resize(open.begin);
    return object;
  }

  void Place(Tree value, Tree& root) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().is_object) {
      members_.back().value = std::move(value);
    } else {
      elements_.push_back(std::move(value));
    }
  }

  Tree Number(std::string_view text) {
    const char* const end = text.data() + text.size();
    int64_t whole = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc() && stop == end) return Tree(whole);
    double number = 0;
    if (std::from_chars(text.data(), end, number).ec != std::errc()) {
      // A number that is too small becomes zero.
      number = std::strtod(std::string(text).c_str(), nullptr);
    }
    if (!std::isfinite(number)) {
      Refuse(fmt::format("json: cannot unmarshal number {} into Go value of type float64", text));
    }
    return Tree(number);
  }

  JsonReader reader_;
  TreeLimits limits_;
  TreeTexts texts_;
  std::string scratch_;
  size_t values_ = 0;
  bool has_duplicates_ = false;
  std::string refusal_;
  std::vector<Open> open_;
  // Those of all open lists and objects, the innermost last.
  std::vector<Tree> elements_;
  std::vector<Tree::Member> members_;
};

// A text or name as a JSON string; of a long one the beginning.
void WriteText(std::string_view text, std::string& out, size_t bytes_max) {
  QuoteJson(text.substr(0, bytes_max), out);
}

// Appends a value that has no parts; an object or list without its content.
void WriteShallow(const Tree& tree, std::string& out, size_t bytes_max) {
  switch (tree.kind()) {
    case Tree::Kind::kNull: out += "null"; return;
    case Tree::Kind::kBool: out += tree.boolean() ? "true" : "false"; return;
    case Tree::Kind::kInteger: {
      const fmt::format_int text(tree.integer());
      out.append(text.data(), text.size());
      return;
    }
    case Tree::Kind::kDouble: out += FormatJsonDouble(tree.number()); return;
    case Tree::Kind::kText: WriteText(tree.text(), out, bytes_max); return;
    case Tree::Kind::kList: out += tree.size() == 0 ? "[]" : "["; return;
    case Tree::Kind::kObject: out += tree.size() == 0 ? "{}" : "{"; return;
  }
}

// Ends once `out` is longer than `bytes_max`.
void Write(const Tree& tree, std::string& out, size_t bytes_max) {
  // Objects and lists that are being written, and the next place in each.
  std::vector<std::pair<const Tree*, size_t>> open;
  const Tree* next = &tree;
  while (out.size() <= bytes_max) {
    WriteShallow(*next, out, bytes_max);
    if (next->size() > 0) open.emplace_back(next, 0);
    while (!open.empty() && open.back().second == open.back().first->size()) {
      out += open.back().first->is_list() ? ']' : '}';
      open.pop_back();
    }
    if (open.empty()) return;
    auto& [outer, at] = open.back();
    if (at > 0) out += ',';
    if (outer->is_list()) {
      next = &outer->elements()[at];
    } else {
      WriteText(outer->members()[at].name(), out, bytes_max);
      out += ':';
      next = &outer->members()[at].value;
    }
    ++at;
  }
}

}  // namespace

Result<Tree> ReadTree(std::string_view json, const TreeLimits& limits, DecodeIssues* issues) {
  TreeReader reader(json, limits);
  DRAY_TRY(Tree tree, reader.Read());
  if (issues != nullptr && reader.has_duplicates()) {
    for (std::string& issue : DuplicateFields(json, limits.depth_max)) {
      if (issues->size() == kDecodeIssuesMax) break;
      issues->push_back(std::move(issue));
    }
  }
  return tree;
}

void WriteTree(const Tree& tree, std::string& out) {
  Write(tree, out, std::string::npos);
}

std::string BeginningOf(const Tree& tree, size_t bytes_max) {
  std::string out;
  Write(tree, out, bytes_max);
  return out;
}

std::string ToJson(const Tree& tree) {
  std::string out;
  WriteTree(tree, out);
  return out;
}

}  // namespace dray::api::inline codec
