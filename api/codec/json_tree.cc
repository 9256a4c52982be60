// SPDX-License-Identifier: Apache-2.0
#include "api/codec/json_tree.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "api/codec/json.h"
#include "api/text/cut.h"

namespace dray::api::inline codec {
namespace {

// Up to here a scan beats a map.
constexpr size_t kScannedMembersMax = 16;
constexpr size_t kNotFound = SIZE_MAX;

// Reads one value at a time; recursion is bounded by depth_max.
class TreeParser {
 public:
  TreeParser(std::string_view json, size_t depth_max) : reader_(json), depth_max_(depth_max) {}

  Result<JsonTree> Parse() {
    JsonTree tree = Value(0);
    if (too_deep_) return Fail(StatusReason::kBadRequest, "exceeded max depth");
    reader_.Finish();
    if (reader_.failed()) return Fail(reader_.error());
    return tree;
  }

 private:
  JsonTree Value(size_t depth) {
    JsonTree tree;
    tree.kind = reader_.Peek();
    switch (tree.kind) {
      case JsonKind::kNull: reader_.Null(); break;
      case JsonKind::kBool: tree.text = reader_.Bool() ? "true" : "false"; break;
      case JsonKind::kNumber: tree.text = reader_.Number(); break;
      case JsonKind::kString: reader_.String(tree.text); break;
      case JsonKind::kArray:
      case JsonKind::kObject: Container(tree, depth + 1); break;
      case JsonKind::kInvalid:
        reader_.Skip();  // reports the error
        break;
    }
    return tree;
  }

  void Container(JsonTree& tree, size_t depth) {
    if (depth > depth_max_) {
      too_deep_ = true;
      reader_.Skip();
      return;
    }
    if (tree.is_array()) {
      reader_.EnterArray();
      while (!too_deep_ && reader_.NextElement()) tree.elements().push_back(Value(depth));
      return;
    }
    std::string key;
    reader_.EnterObject();
    while (!too_deep_ && reader_.NextKey(key)) {
      tree.members().Set(key, Value(depth));
    }
  }

  JsonReader reader_;
  size_t depth_max_;
  bool too_deep_ = false;
};

double NumberOf(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool EqualNumbers(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto whole = [](const std::string& text) -> std::optional<int64_t> {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  const auto left = whole(a);
  const auto right = whole(b);
  if (left && right) return *left == *right;
  return NumberOf(a) == NumberOf(b);
}

// Appends more than kGoTextMax bytes at most by one text or name.
void AppendGoText(const JsonTree& tree, std::string& out) {
  if (out.size() > kGoTextMax) return;
  std::string_view before;
  switch (tree.kind) {
    case JsonKind::kNull:
    case JsonKind::kInvalid: out += "<nil>"; return;
    case JsonKind::kBool:
    case JsonKind::kNumber:
    case JsonKind::kString: out += tree.text; return;
    case JsonKind::kArray:
      out += '[';
      for (const JsonTree& element : tree.elements()) {
        if (out.size() > kGoTextMax) return;
        out += std::exchange(before, " ");
        AppendGoText(element, out);
      }
      out += ']';
      return;
    case JsonKind::kObject: {
      auto members = tree.members().All();
      std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
      out += "map[";
      for (const auto& [name, value] : members) {
        if (out.size() > kGoTextMax) return;
        out.append(std::exchange(before, " ")).append(name).append(":");
        AppendGoText(*value, out);
      }
      out += ']';
      return;
    }
  }
}

}  // namespace

size_t JsonMembers::size() const {
  return values_.size() - removed_;
}

size_t JsonMembers::IndexOf(std::string_view name) const {
  if (!index_.empty()) {
    const auto found = index_.find(name);
    return found == index_.end() ? kNotFound : found->second;
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    if (values_[i].kind != JsonKind::kInvalid && names_[i] == name) return i;
  }
  return kNotFound;
}

JsonTree* JsonMembers::Find(std::string_view name) {
  const size_t at = IndexOf(name);
  return at == kNotFound ? nullptr : &values_[at];
}

const JsonTree* JsonMembers::Find(std::string_view name) const {
  const size_t at = IndexOf(name);
  return at == kNotFound ? nullptr : &values_[at];
}

void JsonMembers::Set(std::string_view name, JsonTree value) {
  if (const size_t at = IndexOf(name); at != kNotFound) {
    values_[at] = std::move(value);
    return;
  }
  names_.emplace_back(name);
  values_.push_back(std::move(value));
  if (!index_.empty()) {
    index_.emplace(name, names_.size() - 1);
  } else if (size() > kScannedMembersMax) {
    BuildIndex();
  }
}

void JsonMembers::BuildIndex() {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (values_[i].kind != JsonKind::kInvalid) index_.emplace(names_[i], i);
  }
}

JsonTree JsonMembers::Take(std::string_view name) {
  const size_t at = IndexOf(name);
  if (at == kNotFound) return {};
  JsonTree taken = std::exchange(values_[at], JsonTree());
  ++removed_;
  if (const auto found = index_.find(name); found != index_.end()) index_.erase(found);
  if (removed_ > kScannedMembersMax && removed_ > values_.size() / 2) Compact();
  return taken;
}

// Adding and removing in turn must not fill the object with the removed.
void JsonMembers::Compact() {
  size_t to = 0;
  for (size_t from = 0; from < values_.size(); ++from) {
    if (values_[from].kind == JsonKind::kInvalid) continue;
    if (to != from) {
      names_[to] = std::move(names_[from]);
      values_[to] = std::move(values_[from]);
    }
    ++to;
  }
  names_.resize(to);
  values_.resize(to);
  removed_ = 0;
  index_.clear();
  if (to > kScannedMembersMax) BuildIndex();
}

std::vector<std::pair<std::string_view, JsonTree*>> JsonMembers::All() {
  std::vector<std::pair<std::string_view, JsonTree*>> all;
  all.reserve(size());
  for (size_t i = 0; i < names_.size(); ++i) {
    if (values_[i].kind != JsonKind::kInvalid) all.emplace_back(names_[i], &values_[i]);
  }
  return all;
}

std::vector<std::pair<std::string_view, const JsonTree*>> JsonMembers::All() const {
  std::vector<std::pair<std::string_view, const JsonTree*>> all;
  all.reserve(size());
  for (size_t i = 0; i < names_.size(); ++i) {
    if (values_[i].kind != JsonKind::kInvalid) all.emplace_back(names_[i], &values_[i]);
  }
  return all;
}

Result<JsonTree> ParseJsonTree(std::string_view json, size_t depth_max) {
  return TreeParser(json, depth_max).Parse();
}

void WriteJsonTree(const JsonTree& tree, std::string& out, MemberOrder order) {
  switch (tree.kind) {
    case JsonKind::kNull:
    case JsonKind::kInvalid: out += "null"; return;
    case JsonKind::kBool:
    case JsonKind::kNumber: out += tree.text; return;
    case JsonKind::kString: QuoteJson(tree.text, out); return;
    case JsonKind::kArray: {
      char before = '[';
      for (const JsonTree& element : tree.elements()) {
        out += std::exchange(before, ',');
        WriteJsonTree(element, out, order);
      }
      out += tree.elements().empty() ? "[]" : "]";
      return;
    }
    case JsonKind::kObject: {
      auto members = tree.members().All();
      if (order == MemberOrder::kByName) {
        std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
      }
      char before = '{';
      for (const auto& [name, value] : members) {
        out += std::exchange(before, ',');
        QuoteJson(name, out);
        out += ':';
        WriteJsonTree(*value, out, order);
      }
      out += members.empty() ? "{}" : "}";
      return;
    }
  }
}

size_t DepthOf(const JsonTree& tree, size_t& visited) {
  ++visited;
  size_t below = 0;
  if (tree.is_array()) {
    for (const JsonTree& element : tree.elements()) {
      below = std::max(below, DepthOf(element, visited));
    }
    return below + 1;
  }
  if (!tree.is_object()) return 0;
  for (const auto& [name, value] : tree.members().All()) {
    below = std::max(below, DepthOf(*value, visited));
  }
  return below + 1;
}

bool EqualJson(const JsonTree& a, const JsonTree& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case JsonKind::kNull:
    case JsonKind::kInvalid: return true;
    case JsonKind::kBool:
    case JsonKind::kString: return a.text == b.text;
    case JsonKind::kNumber: return EqualNumbers(a.text, b.text);
    case JsonKind::kArray: return std::ranges::equal(a.elements(), b.elements(), EqualJson);
    case JsonKind::kObject:
      if (a.members().size() != b.members().size()) return false;
      return std::ranges::all_of(a.members().All(), [&](const auto& member) {
        const JsonTree* other = b.members().Find(member.first);
        return other != nullptr && EqualJson(*member.second, *other);
      });
  }
  return false;
}

std::string GoText(const JsonTree& tree) {
  std::string text;
  AppendGoText(tree, text);
  return Cut(text, kGoTextMax);
}

std::string GoJsonKind(const JsonTree& tree) {
  switch (tree.kind) {
    case JsonKind::kNull:
    case JsonKind::kInvalid: return "null";
    case JsonKind::kBool: return "bool";
    case JsonKind::kNumber: return "number";
    case JsonKind::kString: return "string";
    case JsonKind::kArray: return "array";
    case JsonKind::kObject: return "object";
  }
  return {};
}

}  // namespace dray::api::inline codec
