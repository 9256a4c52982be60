// SPDX-License-Identifier: Apache-2.0
// The text is cut into pieces, of which blocks hold others; then the pieces are written, each
// action evaluated by recursive descent over its own text. Templates are files of a benchmark, a
// few kilobytes, so nothing is kept from one rendering to the next.
#include "bench/scheduler_perf/template_text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/tree_json.h"
#include "base/try.h"

namespace dray::bench {
namespace {

using api::Tree;

enum class PieceKind : uint8_t { kText, kAction, kIf, kRange };

struct Piece {
  PieceKind kind;
  std::string_view text;  // of an action without its braces; of a block what follows its name
  size_t line;
  std::vector<Piece> inside = {}, otherwise = {};
};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  text.remove_suffix(text.size() - 1 - std::min(text.find_last_not_of(kBlanks), text.size() - 1));
  return text;
}

Failure At(size_t line, std::string_view what) {
  return Fail(StatusReason::kBadRequest, fmt::format("line {}: {}", line, what));
}

/// Cuts a text into pieces.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : rest_(text) {}

  /// The pieces up to the end of the block, or of the text; `end`: what ended them.
  Result<std::vector<Piece>> Pieces(std::string_view& end) {  // NOLINT(misc-no-recursion)
    std::vector<Piece> pieces;
    while (true) {
      const size_t open = rest_.find("{{");
      Take(std::min(open, rest_.size()), pieces);
      if (rest_.empty()) break;
      const size_t close = rest_.find("}}");
      if (close == std::string_view::npos) return At(line_, "{{ without }}");
      Piece piece{
          .kind = PieceKind::kAction, .text = Trim(rest_.substr(2, close - 2)), .line = line_};
      Skip(close + 2);
      if (piece.text == "end" || piece.text == "else") {
        end = piece.text;
        return pieces;
      }
      DRAY_TRY_VOID(ReadBlock(piece));
      pieces.push_back(std::move(piece));
    }
    end = {};
    return pieces;
  }

 private:
  void Skip(size_t size) {
    line_ += static_cast<size_t>(std::ranges::count(rest_.substr(0, size), '\n'));
    rest_.remove_prefix(size);
  }
  void Take(size_t size, std::vector<Piece>& pieces) {
    if (size == 0) return;
    pieces.push_back({.kind = PieceKind::kText, .text = rest_.substr(0, size), .line = line_});
    Skip(size);
  }

  Result<> ReadBlock(Piece& piece) {  // NOLINT(misc-no-recursion)
    const bool is_if = piece.text.starts_with("if ");
    const bool is_range = piece.text.starts_with("range ");
    if (!is_if && !is_range) return {};
    piece.kind = is_if ? PieceKind::kIf : PieceKind::kRange;
    piece.text = Trim(piece.text.substr(piece.text.find(' ')));
    std::string_view end;
    DRAY_TRY(piece.inside, Pieces(end));
    if (end == "else") {
      DRAY_TRY(piece.otherwise, Pieces(end));
    }
    if (end != "end") return At(piece.line, "a block without its end");
    return {};
  }

  std::string_view rest_;
  size_t line_ = 1;
};

bool IsTrue(const Tree& value) {
  switch (value.kind()) {
    case Tree::Kind::kNull: return false;
    case Tree::Kind::kBool: return value.boolean();
    case Tree::Kind::kInteger: return value.integer() != 0;
    case Tree::Kind::kDouble: return value.number() != 0;
    case Tree::Kind::kText: return !value.text().empty();
    case Tree::Kind::kList:
    case Tree::Kind::kObject: return value.size() > 0;
  }
  return false;
}

Result<int64_t> NumberOf(const Tree& value) {
  if (value.is_integer()) return value.integer();
  int64_t number = 0;
  const std::string_view text = value.is_text() ? value.text() : std::string_view();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return Fail(StatusReason::kBadRequest, fmt::format("{} is no integer", api::ToJson(value)));
}

Result<Tree> Compute(std::string_view name, const std::vector<Tree>& of) {
  if (name == "or" && !of.empty()) {
    const auto found = std::ranges::find_if(of, IsTrue);
    return found == of.end() ? of.back() : *found;
  }
  if (name == "JSON" && of.size() == 1) return Tree(api::ToJson(of[0]));
  if (name == "eq" && of.size() == 2) return Tree(of[0] == of[1]);
  const bool is_of_one = name == "Int";
  constexpr std::string_view kOfTwo[] = {
      "ge", "Mod", "AddInt", "SubtractInt", "MultiplyInt", "DivideInt"};
  const bool is_of_two = std::ranges::count(kOfTwo, name) > 0;
  if (of.size() != (is_of_one ? 1U : 2U) || (!is_of_one && !is_of_two)) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("no function {} of {} values is known", name, of.size()));
  }
  DRAY_TRY(const int64_t a, NumberOf(of[0]));
  if (is_of_one) return Tree(a);
  DRAY_TRY(const int64_t b, NumberOf(of[1]));
  if (name == "ge") return Tree(a >= b);
  if (name == "AddInt") return Tree(a + b);
  if (name == "SubtractInt") return Tree(a - b);
  if (name == "MultiplyInt") return Tree(a * b);
  if (b == 0) return Fail(StatusReason::kBadRequest, fmt::format("{} by 0", name));
  return Tree(name == "Mod" ? a % b : a / b);
}

/// Writes pieces.
class Writer {
 public:
  explicit Writer(const Tree& values) : dot_(values) {}

  Result<> Write(const std::vector<Piece>& pieces) {  // NOLINT(misc-no-recursion)
    for (const Piece& piece : pieces) {
      Result<> written = Write(piece);
      if (written.has_value()) continue;
      if (written.error().message.starts_with("line ")) return written;
      return At(piece.line, written.error().message);
    }
    return {};
  }
  std::string Take() && { return std::move(out_); }

 private:
  Result<> Write(const Piece& piece) {  // NOLINT(misc-no-recursion)
    switch (piece.kind) {
      case PieceKind::kText: out_ += piece.text; return {};
      case PieceKind::kAction: return WriteAction(piece.text);
      case PieceKind::kIf: {
        DRAY_TRY(const Tree value, Evaluate(piece.text));
        return Write(IsTrue(value) ? piece.inside : piece.otherwise);
      }
      case PieceKind::kRange: return WriteRange(piece);
    }
    return {};
  }

  Result<> WriteAction(std::string_view text) {
    DRAY_TRY(const std::string_view name, TakeVariable(text));
    DRAY_TRY(Tree value, Evaluate(text));
    if (!name.empty()) {
      variables_[std::string(name)] = std::move(value);
      return {};
    }
    if (value.is_null()) {
      return Fail(StatusReason::kBadRequest, fmt::format("{{{{{}}}}} has no value", text));
    }
    out_ += value.is_text() ? std::string(value.text()) : api::ToJson(value);
    return {};
  }

  Result<> WriteRange(const Piece& piece) {  // NOLINT(misc-no-recursion)
    std::string_view text = piece.text;
    DRAY_TRY(const std::string_view name, TakeVariable(text));
    DRAY_TRY(const Tree over, Evaluate(text));
    std::vector<Tree> values(over.elements().begin(), over.elements().end());
    if (over.is_integer()) {
      for (int64_t i = 0; i < over.integer(); ++i) values.emplace_back(i);
    }
    const Tree outer = dot_;
    for (const Tree& value : values) {
      dot_ = value;
      if (!name.empty()) variables_[std::string(name)] = value;
      DRAY_TRY_VOID(Write(piece.inside));
    }
    dot_ = outer;
    return values.empty() ? Write(piece.otherwise) : Result<>();
  }

  /// Takes "$name :=" off the beginning of an action; empty: it has none.
  static Result<std::string_view> TakeVariable(std::string_view& text) {
    const size_t sign = text.find(":=");
    if (!text.starts_with('$') || sign == std::string_view::npos) return std::string_view();
    const std::string_view name = Trim(text.substr(0, sign));
    text = Trim(text.substr(sign + 2));
    if (name.find_first_of(" ,(|") == std::string_view::npos) return name;
    return Fail(StatusReason::kBadRequest, fmt::format("{}: one variable at a time", name));
  }

  Result<Tree> Evaluate(std::string_view text) {
    std::string_view rest = text;
    DRAY_TRY(Tree value, Pipeline(rest));
    if (rest.empty()) return value;
    return Fail(StatusReason::kBadRequest,
                fmt::format("{{{{{}}}}}: \"{}\" is too much", text, rest));
  }

  /// Commands between |, of which each takes the value of the one before as its last.
  Result<Tree> Pipeline(std::string_view& rest) {  // NOLINT(misc-no-recursion)
    DRAY_TRY(Tree value, CommandOf(rest, std::nullopt));
    while (rest.starts_with('|')) {
      rest = Trim(rest.substr(1));
      DRAY_TRY(value, CommandOf(rest, value));
    }
    return value;
  }

  Result<Tree> CommandOf(std::string_view& rest,  // NOLINT(misc-no-recursion)
                         const std::optional<Tree>& last) {
    const std::string_view word = Word(rest);
    if (!IsFunction(word)) return Operand(rest);
    rest = Trim(rest.substr(word.size()));
    std::vector<Tree> of;
    while (!rest.empty() && !rest.starts_with('|') && !rest.starts_with(')')) {
      DRAY_TRY(Tree one, Operand(rest));
      of.push_back(std::move(one));
    }
    if (last.has_value()) of.push_back(*last);
    return Compute(word, of);
  }

  Result<Tree> Operand(std::string_view& rest) {  // NOLINT(misc-no-recursion)
    if (rest.starts_with('(')) {
      rest = Trim(rest.substr(1));
      DRAY_TRY(Tree value, Pipeline(rest));
      if (!rest.starts_with(')')) return Fail(StatusReason::kBadRequest, "( without )");
      rest = Trim(rest.substr(1));
      return value;
    }
    if (rest.starts_with('"')) {
      const size_t end = rest.find('"', 1);
      if (end == std::string_view::npos) return Fail(StatusReason::kBadRequest, "\" without \"");
      const Tree value(rest.substr(1, end - 1));
      rest = Trim(rest.substr(end + 1));
      return value;
    }
    const std::string_view word = Word(rest);
    rest = Trim(rest.substr(word.size()));
    return ValueOf(word);
  }

  Result<Tree> ValueOf(std::string_view word) const {
    if (word == ".") return dot_;
    if (word == "nil") return Tree();
    if (word.starts_with('.')) {
      const Tree* const found = dot_.Find(word.substr(1));
      return found == nullptr ? Tree() : *found;
    }
    if (word.starts_with('$')) {
      const auto found = variables_.find(word);
      if (found != variables_.end()) return found->second;
      return Fail(StatusReason::kBadRequest, fmt::format("{} was not set", word));
    }
    DRAY_TRY(const int64_t number, NumberOf(Tree(word)));
    return Tree(number);
  }

  static std::string_view Word(std::string_view rest) {
    return rest.substr(0, std::min(rest.find_first_of(" \t\n|()"), rest.size()));
  }
  static bool IsFunction(std::string_view word) {
    const bool is_letter =
        !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z'));
    return is_letter && word != "nil";
  }

  Tree dot_;
  std::map<std::string, Tree, std::less<>> variables_;
  std::string out_;
};

}  // namespace

Result<std::string> Render(std::string_view text, const Tree& values) {
  std::string_view end;
  DRAY_TRY(const std::vector<Piece> pieces, Cutter(text).Pieces(end));
  if (!end.empty()) return Fail(StatusReason::kBadRequest, fmt::format("{} without a block", end));
  Writer writer(values);
  DRAY_TRY_VOID(writer.Write(pieces));
  return std::move(writer).Take();
}

}  // namespace dray::bench
