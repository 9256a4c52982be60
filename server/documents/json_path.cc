// SPDX-License-Identifier: Apache-2.0
#include "server/documents/json_path.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <ranges>
#include <utility>

#include "api/codec/tree_json.h"

namespace dray::server::documents {

// Reads one path from front to back.
class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Run(std::vector<Step>& steps) {
    while (at_ < text_.size()) {
      if (steps.size() >= kStepsMax) return false;
      Step step;
      if (text_[at_] == '[') {
        if (!Bracket(step)) return false;
      } else if (text_[at_] == '.') {
        if (!Dotted(step)) return false;
      } else {
        return false;
      }
      steps.push_back(std::move(step));
    }
    return true;
  }

 private:
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void Blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  // `.name`, `..name`, `.*`
  bool Dotted(Step& step) {
    ++at_;
    const bool is_deep = Take(".");
    if (is_deep) step.kind = Step::Kind::kDescend;
    if (!is_deep && Take("*")) {
      step.kind = Step::Kind::kAny;
      return true;
    }
    step.name = Name();
    return !step.name.empty() || (at_ < text_.size() && text_[at_] == '[');
  }

  std::string Name() {
    std::string name;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '.' || c == '[' || c == ']' || c == ' ' || c == ')' || c == '=' || c == '!' ||
          c == '<' || c == '>') {
        break;
      }
      if (c == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    return name;
  }

  bool Bracket(Step& step) {
    ++at_;
    Blanks();
    if (Take("*")) {
      step.kind = Step::Kind::kAny;
    } else if (Take("?(")) {
      if (!Filter(step)) return false;
    } else if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      if (!Quoted(step.name)) return false;
    } else {
      step.kind = Step::Kind::kSlice;
      if (!Bounds(step)) return false;
    }
    Blanks();
    return Take("]");
  }

  bool Quoted(std::string& out) {
    const char quote = text_[at_++];
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_];
    }
    if (at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  std::optional<int64_t> Number() {
    int64_t number = 0;
    const char* const begin = text_.data() + at_;
    const auto read = std::from_chars(begin, text_.data() + text_.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    at_ += static_cast<size_t>(read.ptr - begin);
    return number;
  }

  // `1`, `1:3`, `:2`, `1:`, `0:4:2`
  bool Bounds(Step& step) {
    step.begin = Number();
    if (!Take(":")) {
      if (!step.begin.has_value()) return false;
      // The last one has no place after it.
      if (*step.begin != -1) step.end = *step.begin + 1;
      return true;
    }
    step.end = Number();
    if (Take(":")) step.stride = Number().value_or(1);
    return step.stride > 0;
  }

  // `@.a.b == "c")`
  bool Filter(Step& step) {
    step.kind = Step::Kind::kFilter;
    Blanks();
    if (!Take("@")) return false;
    while (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      step.operand.push_back(Name());
      if (step.operand.size() > kStepsMax) return false;
    }
    Blanks();
    for (const std::string_view word : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!step.comparison.empty() || !Take(word)) continue;
      step.comparison = word;
    }
    Blanks();
    if (!step.comparison.empty() && !Literal(step.literal)) return false;
    Blanks();
    return Take(")");
  }

  bool Literal(api::Tree& out) {
    if (at_ == text_.size()) return false;
    if (text_[at_] == '\'' || text_[at_] == '"') {
      std::string text;
      if (!Quoted(text)) return false;
      out = api::Tree(std::string_view(text));
      return true;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ')' && text_[at_] != ' ') ++at_;
    Result<api::Tree> read = api::ReadTree(text_.substr(begin, at_ - begin));
    if (!read.has_value()) return false;
    out = *std::move(read);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::optional<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  if (!Parser(text).Run(path.steps_)) return std::nullopt;
  return path;
}

std::string_view JsonPath::first_field() const {
  const bool is_field = !steps_.empty() && steps_.front().kind == Step::Kind::kField;
  return is_field ? std::string_view(steps_.front().name) : std::string_view();
}

void JsonPath::Slice(const Step& step, const api::Tree& list, Values& out) {
  const auto size = static_cast<int64_t>(list.elements().size());
  const auto place = [&](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
  };
  const int64_t begin = place(step.begin.value_or(0));
  const int64_t end = step.end.has_value() ? place(*step.end) : size;
  for (int64_t i = begin; i < end; i += step.stride) {
    out.push_back(&list.elements()[static_cast<size_t>(i)]);
  }
}

// The values of that name in the order of the document, at any depth.
void JsonPath::Descend(const Step& step, const api::Tree& value, Values& out) {
  Values open = {&value};
  while (!open.empty()) {
    const api::Tree* at = open.back();
    open.pop_back();
    if (const api::Tree* found = at->Find(step.name)) out.push_back(found);
    for (const auto& member : at->members() | std::views::reverse) open.push_back(&member.value);
    for (const auto& element : at->elements() | std::views::reverse) open.push_back(&element);
  }
}

bool JsonPath::Holds(const Step& step, const api::Tree& element) {
  const api::Tree* value = &element;
  for (const std::string& name : step.operand) {
    value = value->Find(name);
    if (value == nullptr) return false;
  }
  if (step.comparison.empty()) return true;
  const std::weak_ordering order = api::Tree::Compare(*value, step.literal);
  if (step.comparison == "==") return order == 0;
  if (step.comparison == "!=") return order != 0;
  if (step.comparison == "<") return order < 0;
  if (step.comparison == "<=") return order <= 0;
  return step.comparison == ">" ? order > 0 : order >= 0;
}

void JsonPath::Apply(const Step& step, const api::Tree& value, Values& out) {
  switch (step.kind) {
    case Step::Kind::kField:
      if (const api::Tree* found = value.Find(step.name)) out.push_back(found);
      return;
    case Step::Kind::kSlice: return Slice(step, value, out);
    case Step::Kind::kDescend: return Descend(step, value, out);
    case Step::Kind::kAny:
    case Step::Kind::kFilter:
      for (const api::Tree& element : value.elements()) {
        if (step.kind == Step::Kind::kAny || Holds(step, element)) out.push_back(&element);
      }
      if (step.kind == Step::Kind::kFilter) return;
      for (const api::Tree::Member& member : value.members()) out.push_back(&member.value);
      return;
  }
}

const api::Tree* JsonPath::First(const api::Tree& value) const {
  Values values = {&value};
  for (const Step& step : steps_) {
    Values next;
    for (const api::Tree* one : values) Apply(step, *one, next);
    if (next.empty()) return nullptr;
    values = std::move(next);
  }
  return values.front();
}

}  // namespace dray::server::documents
