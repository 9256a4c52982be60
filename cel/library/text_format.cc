// SPDX-License-Identifier: Apache-2.0
#include "cel/library/text_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <expected>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "cel/library/builtin.h"
#include "cel/library/go_numbers.h"
#include "cel/library/tables.h"
#include "cel/library/times.h"
#include "cel/syntax/utf8.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {

using check::TypeKind;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

using Arguments = std::span<const Value>;
/// The message of a failure, or nothing.
using Problem = std::optional<std::string>;

constexpr int kDefaultPrecision = 6;

struct Clause {
  char verb = 0;
  std::optional<int64_t> precision;
};

// "%.3f" without the percent sign, taken from the front of `rest`, which is not empty.
std::expected<Clause, std::string> TakeClause(std::string_view& rest) {
  constexpr std::string_view kVerbs = "sdfebxXo";
  Clause clause;
  if (rest.starts_with('.')) {
    constexpr std::string_view kPrecision =
        "could not parse formatting clause: error while parsing precision: ";
    const size_t end = rest.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos) {
      return std::unexpected(std::string(kPrecision) + "could not find end of precision specifier");
    }
    const auto precision = Atoi(rest.substr(1, end - 1));
    if (!precision.has_value()) {
      return std::unexpected(fmt::format("{}error while converting precision to integer: {}",
                                         kPrecision,
                                         precision.error().message));
    }
    clause.precision = *precision;
    rest.remove_prefix(end);
  }
  clause.verb = rest[0];
  rest.remove_prefix(1);
  if (!kVerbs.contains(clause.verb)) {
    std::string shown;
    syntax::AppendUtf8(
        shown, static_cast<unsigned char>(clause.verb));  // upstream treats bytes as letters
    return std::unexpected(fmt::format(
        "could not parse formatting clause: unrecognized formatting clause \"{}\"", shown));
  }
  return clause;
}

std::string WrongType(char verb, std::string_view type) {
  const auto rule = [verb]() -> std::string_view {
    switch (verb) {
      case 'b': return "only integers and bools can be formatted as binary";
      case 'd': return "decimal clause can only be used on integers";
      case 'e': return "scientific clause can only be used on doubles";
      case 'f': return "fixed-point clause can only be used on doubles";
      case 'o': return "octal clause can only be used on integers";
      case 's':
        return "string clause can only be used on strings, bools, bytes, ints, doubles, maps, "
               "lists, types, durations, and timestamps";
      default: return "only integers, byte buffers, and strings can be formatted as hex";
    }
  };
  return fmt::format("{}, was given {}", rule(), type);
}

// Text up to the longest that may be built.
class Output {
 public:
  explicit Output(Work& work) : work_(work) {}

  void Add(std::string_view text) {
    work_.Charge(8 + WorkOfReading(text.size()));
    if (text.size() > kStringBytesMax - text_.size()) {
      is_full_ = true;
    } else {
      text_ += text;
    }
  }
  /// Counts that so many bytes are read before some of them are added.
  void Read(size_t bytes) { work_.Charge(WorkOfReading(4 * bytes)); }
  /// Nothing more is of use: the text is too long, or it has taken too much.
  bool is_full() const { return is_full_ || work_.is_spent(); }
  const std::string& text() const { return text_; }

 private:
  Work& work_;
  std::string text_;
  bool is_full_ = false;
};

// --- %s

Problem WriteNested(Output& out, const Value& value);

std::string KeyText(const Value& key) {
  if (key.is(ValueKind::kString)) return api::GoQuote(key.text());
  if (key.is(ValueKind::kBool)) return key.boolean() ? "true" : "false";
  if (key.is(ValueKind::kInt)) return fmt::to_string(key.integer());
  return fmt::to_string(key.unsigned_integer());
}

Problem WriteMap(Output& out, const Map& map) {
  std::vector<std::pair<std::string, const Value*>> entries;
  for (const MapEntry& entry : map.entries()) {
    if (out.is_full()) return std::nullopt;
    if (entry.key.is(ValueKind::kString)) out.Read(entry.key.text().size());
    out.Read(16);
    const ValueKind kind = entry.key.kind();
    const bool has_form = kind == ValueKind::kString || kind == ValueKind::kBool ||
                          kind == ValueKind::kInt || kind == ValueKind::kUint;
    if (!has_form) {
      return fmt::format("no formatting function for map key of type {}", TypeName(entry.key));
    }
    entries.emplace_back(KeyText(entry.key), &entry.value);
  }
  std::ranges::sort(entries);  // equal keys (1 and 1u) stay in the order of the map
  out.Add("{");
  for (const auto& [key, value] : entries) {
    if (out.is_full()) break;
    if (&key != &entries.front().first) out.Add(", ");
    out.Add(key);
    out.Add(":");
    if (Problem problem = WriteNested(out, *value); problem.has_value()) return problem;
  }
  out.Add("}");
  return std::nullopt;
}

Problem WriteList(Output& out, const List& list) {
  out.Add("[");
  const std::span<const Value> items = list.items();
  for (const Value& item : items) {
    if (&item != items.data()) out.Add(", ");
    if (out.is_full()) break;
    if (Problem problem = WriteNested(out, item); problem.has_value()) return problem;
  }
  out.Add("]");
  return std::nullopt;
}

Problem NotUtf8() {
  return "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to "
         "string";
}

// Inside lists and maps texts are quoted and times look like calls.
Problem WriteNested(Output& out, const Value& value) {
  const bool has_text = value.is(ValueKind::kString) || value.is(ValueKind::kBytes);
  out.Read(has_text ? value.text().size() : 16);
  switch (value.kind()) {
    case ValueKind::kNull: out.Add("null"); break;
    case ValueKind::kBool: out.Add(value.boolean() ? "true" : "false"); break;
    case ValueKind::kInt: out.Add(fmt::to_string(value.integer())); break;
    case ValueKind::kUint: out.Add(fmt::to_string(value.unsigned_integer())); break;
    case ValueKind::kType: out.Add(value.text()); break;
    case ValueKind::kDouble: {
      const std::string text = FixedText(value.number(), kDefaultPrecision);
      out.Add(std::isfinite(value.number()) ? text : '"' + text + '"');
      break;
    }
    case ValueKind::kString: out.Add(api::GoQuote(value.text())); break;
    case ValueKind::kBytes:
      if (!syntax::IsValidUtf8(value.text())) return NotUtf8();
      out.Add('b' + api::GoQuote(value.text()));
      break;
    case ValueKind::kTimestamp:
      out.Add(fmt::format("timestamp(\"{}\")", TimestampText(value.timestamp())));
      break;
    case ValueKind::kDuration:
      out.Add(fmt::format("duration(\"{}\")", DurationText(value.nanoseconds())));
      break;
    case ValueKind::kList: return WriteList(out, value.list());
    case ValueKind::kMap: return WriteMap(out, value.map());
    case ValueKind::kError:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization:
      return fmt::format("no formatting function for {}", TypeName(value));
  }
  return std::nullopt;
}

Problem WriteText(Output& out, const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString: out.Add(value.text()); return std::nullopt;
    case ValueKind::kBytes:
      if (!syntax::IsValidUtf8(value.text())) return NotUtf8();
      out.Add(value.text());
      return std::nullopt;
    case ValueKind::kDouble: out.Add(ShortestText(value.number())); return std::nullopt;
    case ValueKind::kTimestamp: out.Add(TimestampText(value.timestamp())); return std::nullopt;
    case ValueKind::kDuration: out.Add(DurationText(value.nanoseconds())); return std::nullopt;
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kType:
    case ValueKind::kList:
    case ValueKind::kMap: return WriteNested(out, value);
    case ValueKind::kError:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return WrongType('s', TypeName(value));
}

// --- numbers

// The number for %f or %e: also from the texts NaN, Infinity and -Infinity.
std::optional<double> NumberOf(const Value& value) {
  if (value.is(ValueKind::kDouble)) return value.number();
  if (!value.is(ValueKind::kString)) return std::nullopt;
  for (const std::string_view name : {"NaN", "Infinity", "-Infinity"}) {
    if (value.text() == name) return ParseDouble(name);
  }
  return std::nullopt;
}

// Nothing for finite numbers.
std::string_view SpecialText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "\u221e" : "-\u221e";
  return {};
}

std::string GroupThousands(std::string_view digits) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// Upstream's formatter keeps the number of fraction digits in 8 to 16 bits, and gives up beyond ten
// million.
constexpr int64_t kPrecisionEnd = 10'000'010;
constexpr std::string_view kNoVerb = "%!(NOVERB)";

std::string Fixed(double value, int64_t precision) {
  if (precision >= kPrecisionEnd) return std::string(kNoVerb);
  if (const std::string_view special = SpecialText(value); !special.empty()) {
    return std::string(special);
  }
  const auto digits_max = static_cast<int16_t>(precision);
  const auto digits_min = static_cast<uint8_t>(precision);
  const double size = std::fabs(value);
  const std::string text =
      digits_max >= 0 ? FixedText(size, digits_max) : fmt::format("{:f}", size);
  const size_t dot = std::min(text.find('.'), text.size());
  std::string fraction = text.substr(std::min(dot + 1, text.size()));
  while (fraction.size() > digits_min && fraction.ends_with('0')) fraction.pop_back();
  fraction.resize(std::max<size_t>(fraction.size(), digits_min), '0');
  std::string out = value < 0 ? "-" : "";
  out += GroupThousands(std::string_view(text).substr(0, dot));
  return fraction.empty() ? out : out + '.' + fraction;
}

std::string Superscript(int exponent) {
  constexpr std::array<std::string_view, 10> kDigits = {"\u2070",
                                                        "\u00b9",
                                                        "\u00b2",
                                                        "\u00b3",
                                                        "\u2074",
                                                        "\u2075",
                                                        "\u2076",
                                                        "\u2077",
                                                        "\u2078",
                                                        "\u2079"};
  std::string out = exponent < 0 ? "\u207b" : "";
  for (const char digit : fmt::format("{:02}", std::abs(exponent))) {
    out += kDigits[static_cast<size_t>(digit - '0')];
  }
  return out;
}

// Six fraction digits, whatever the precision: upstream uses the precision as the width.
std::string Scientific(double value, int64_t width) {
  if (width >= kPrecisionEnd) return std::string(kNoVerb);
  std::string out(SpecialText(value));
  if (out.empty()) {
    const std::string text = fmt::format("{:.6e}", std::fabs(value));
    const size_t mark = text.find('e');
    const std::string_view digits = std::string_view(text).substr(mark + 1);
    out = fmt::format("{}{}\u00d710{}",
                      value < 0 ? "-" : "",
                      text.substr(0, mark),
                      Superscript(static_cast<int>(ParseInt(digits).value_or(0))));
  }
  const size_t letters = syntax::CountCodePoints(out);
  const auto wanted = static_cast<uint16_t>(width);
  return std::string(wanted > letters ? wanted - letters : 0, ' ') + out;
}

std::string HexText(std::string_view bytes, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

template <class T>
std::string InBase(T value, char verb) {
  switch (verb) {
    case 'b': return fmt::format("{:b}", value);
    case 'o': return fmt::format("{:o}", value);
    case 'x': return fmt::format("{:x}", value);
    case 'X': return fmt::format("{:X}", value);
    default: return fmt::to_string(value);
  }
}

// %d, %b, %o, %x and %X.
std::optional<std::string> IntegerText(const Value& value, char verb) {
  if (value.is(ValueKind::kInt)) return InBase(value.integer(), verb);
  if (value.is(ValueKind::kUint)) return InBase(value.unsigned_integer(), verb);
  if (verb == 'b' && value.is(ValueKind::kBool)) return value.boolean() ? "1" : "0";
  const bool is_hex = verb == 'x' || verb == 'X';
  const bool is_text = value.is(ValueKind::kString) || value.is(ValueKind::kBytes);
  if (is_hex && is_text) return HexText(value.text(), verb == 'X');
  return std::nullopt;
}

Problem Write(Output& out, const Clause& clause, const Value& value) {
  if (clause.verb == 's') return WriteText(out, value);
  if (clause.verb == 'f' || clause.verb == 'e') {
    const std::optional<double> number = NumberOf(value);
    if (!number.has_value()) return WrongType(clause.verb, TypeName(value));
    const int64_t precision = clause.precision.value_or(kDefaultPrecision);
    // Digits of a number are worked out one by one, of a long one in several words.
    out.Read(64 + 8 * static_cast<size_t>(std::clamp<int64_t>(precision, 0, UINT16_MAX)));
    out.Add(clause.verb == 'f' ? Fixed(*number, precision) : Scientific(*number, precision));
    return std::nullopt;
  }
  if (value.is(ValueKind::kString) || value.is(ValueKind::kBytes)) out.Read(value.text().size());
  const std::optional<std::string> text = IntegerText(value, clause.verb);
  if (!text.has_value()) return WrongType(clause.verb, TypeName(value));
  out.Add(*text);
  return std::nullopt;
}

std::string OutOfRange(size_t index) {
  return fmt::format("index {} out of range", index);
}

// Copies up to the next clause: "%%" is a percent sign. False at the end of the text; otherwise
// `rest` starts after the percent sign of a clause.
bool TakeText(std::string_view& rest, Output& out) {
  while (!rest.empty()) {
    const size_t percent = std::min(rest.find('%'), rest.size());
    out.Add(rest.substr(0, percent));
    rest.remove_prefix(percent);
    if (rest.empty()) return false;
    rest.remove_prefix(1);
    if (!rest.starts_with('%')) return true;
    out.Add("%");
    rest.remove_prefix(1);
  }
  return false;
}

Value Format(Arena& arena, Arguments arguments) {
  std::string_view rest = arguments[0].text();
  const std::span<const Value> values = arguments[1].list().items();
  Output out(arena.work());
  for (size_t i = 0; TakeText(rest, out) && !out.is_full(); ++i) {
    if (i >= values.size()) return MakeError(arena, OutOfRange(i));
    if (rest.empty()) return Value::Error("unexpected end of string");
    const auto clause = TakeClause(rest);
    if (!clause.has_value()) return MakeError(arena, clause.error());
    const Problem problem = Write(out, *clause, values[i]);
    if (problem.has_value()) {
      return MakeError(arena, fmt::format("error during formatting: {}", *problem));
    }
  }
  if (out.is_full()) return Value::Error("string too long");
  return MakeString(arena, out.text());
}

constexpr auto kTextFormatBuiltins = std::to_array<Builtin>({
    {"format", Format, CostRule::kTenth},
});

// --- before evaluation

// The run-time name of the type of a node.
std::string_view RuntimeName(const check::Type& type) {
  if (type.kind == TypeKind::kObject || type.kind == TypeKind::kOpaque) return type.name;
  if (type.kind == TypeKind::kWrapper) return RuntimeName(*type.parameters[0]);
  if (type.kind == TypeKind::kAny) return "google.protobuf.Any";
  return check::KindName(type.kind);
}

bool TakesType(char verb, const check::Type& type) {
  switch (type.kind) {
    case TypeKind::kError:
    case TypeKind::kDyn:
    case TypeKind::kParameter: return true;
    case TypeKind::kWrapper: return TakesType(verb, *type.parameters[0]);
    case TypeKind::kAny:
    case TypeKind::kOptional:
    case TypeKind::kObject:
    case TypeKind::kOpaque: return false;
    case TypeKind::kInt:
    case TypeKind::kUint: return std::string_view("sdboxX").contains(verb);
    case TypeKind::kDouble: return std::string_view("sfe").contains(verb);
    case TypeKind::kString: return std::string_view("sfexX").contains(verb);
    case TypeKind::kBytes: return std::string_view("sxX").contains(verb);
    case TypeKind::kBool: return std::string_view("sb").contains(verb);
    case TypeKind::kNull:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kType: return verb == 's';
  }
  return false;
}

// The first node in `id`, which may be a literal of literals, whose type the clause does not take.
NodeId FindWrongType(const check::CheckedAst& checked, NodeId id, char verb) {
  if (!TakesType(verb, *checked.facts[id].type)) return id;
  const Node& node = checked.ast[id];
  if (verb != 's' || (node.kind != NodeKind::kList && node.kind != NodeKind::kMap))
    return syntax::kNoNode;
  for (const NodeId child : node.children) {
    const NodeId wrong = FindWrongType(checked, child, verb);
    if (wrong != syntax::kNoNode) return wrong;
  }
  return syntax::kNoNode;
}

}  // namespace

std::optional<FormatProblem> CheckFormatCall(const check::CheckedAst& checked, NodeId call) {
  const Node& node = checked.ast[call];
  if (!node.is_member || node.children.size() != 2) return std::nullopt;
  const auto* const text = std::get_if<std::string_view>(&checked.ast[node.children[0]].constant);
  const Node& list = checked.ast[node.children[1]];
  if (text == nullptr || list.kind != NodeKind::kList) return std::nullopt;
  std::string_view rest = *text;
  Work unlimited(Work::kUnlimited);
  Output ignored(unlimited);
  size_t count = 0;
  for (; TakeText(rest, ignored); ++count) {
    if (rest.empty()) return FormatProblem{call, "unexpected end of string"};
    if (count >= list.children.size()) return FormatProblem{call, OutOfRange(count)};
    const auto clause = TakeClause(rest);
    if (!clause.has_value()) return FormatProblem{call, clause.error()};
    const NodeId wrong = FindWrongType(checked, list.children[count], clause->verb);
    if (wrong != syntax::kNoNode) {
      const std::string_view type = RuntimeName(*checked.facts[wrong].type);
      return FormatProblem{
          wrong, fmt::format("error during formatting: {}", WrongType(clause->verb, type))};
    }
  }
  if (list.children.size() <= count) return std::nullopt;
  return FormatProblem{
      call,
      fmt::format("too many arguments supplied to string.format (expected {}, got {})",
                  count,
                  list.children.size())};
}

std::span<const Builtin> TextFormatBuiltins() {
  return kTextFormatBuiltins;
}

}  // namespace dray::cel::library
