// SPDX-License-Identifier: Apache-2.0
// Precedence climbing over the token list. Chains of && and || become one node with many children:
// they have no depth limit upstream, and a flat node needs no recursion to evaluate.
#include "cel/syntax/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cel/syntax/lexer.h"
#include "cel/syntax/limits.h"
#include "cel/syntax/macros.h"
#include "cel/syntax/utf8.h"

namespace dray::cel::syntax {

namespace {

constexpr std::array<std::string_view, 17> kReserved = {"as",
                                                        "break",
                                                        "const",
                                                        "continue",
                                                        "else",
                                                        "for",
                                                        "function",
                                                        "if",
                                                        "import",
                                                        "let",
                                                        "loop",
                                                        "package",
                                                        "namespace",
                                                        "return",
                                                        "var",
                                                        "void",
                                                        "while"};

struct BinaryOperator {
  std::string_view function;
  int precedence;  // higher binds tighter
  Symbol symbol;
};

constexpr int kOrPrecedence = 1;
constexpr int kAndPrecedence = 2;
constexpr BinaryOperator kBinaryOperators[] = {
    {"_||_", kOrPrecedence, Symbol::kOr},
    {"_&&_", kAndPrecedence, Symbol::kAnd},
    {"_<_", 3, Mark('<')},
    {"_<=_", 3, Symbol::kLessEqual},
    {"_>_", 3, Mark('>')},
    {"_>=_", 3, Symbol::kGreaterEqual},
    {"_==_", 3, Symbol::kEqual},
    {"_!=_", 3, Symbol::kNotEqual},
    {"@in", 3, Symbol::kIn},
    {"_+_", 4, Mark('+')},
    {"_-_", 4, Mark('-')},
    {"_*_", 5, Mark('*')},
    {"_/_", 5, Mark('/')},
    {"_%_", 5, Mark('%')},
};

// Every parsing function returns kNoNode after a syntax error or at a limit, and its caller returns
// it too. Any other error puts an invalid node where the wrong part stood.
class Parser {
 public:
  Parser(std::string_view expression,
         const Environment& environment,
         std::vector<SourceError>& errors)
      : environment_(environment), errors_(errors) {
    const bool has_quoted = environment.since(api::Release::k1_33);
    tokens_ = Tokenize(
        ast_.memory.Copy(expression), has_quoted ? QuotedNames::kYes : QuotedNames::kNo, errors);
    ended_ = !errors.empty();
    ast_.nodes.reserve(tokens_.size());
  }

  Ast Run() {
    if (!ended_) ast_.root = Expression();
    if (!ended_ && Peek().kind != TokenKind::kEnd) {
      const char* const kind = Peek(1).kind == TokenKind::kEnd ? "extraneous" : "mismatched";
      SyntaxError(fmt::format("{} input '{}' expecting <EOF>", kind, Peek().text));
    }
    return std::move(ast_);
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    const size_t index = at_ + ahead;
    return index < tokens_.size() ? tokens_[index] : tokens_.back();
  }
  const Token& Take() {
    const Token& token = Peek();
    if (token.kind != TokenKind::kEnd) ++at_;
    return token;
  }
  bool Sees(char mark, size_t ahead = 0) const { return Peek(ahead).symbol == Mark(mark); }
  bool Accept(char mark) {
    const bool seen = Sees(mark);
    if (seen) ++at_;
    return seen;
  }
  bool Expect(char mark) {
    if (Accept(mark)) return true;
    SyntaxError(fmt::format("mismatched input '{}' expecting '{}'", TextOf(Peek()), mark));
    return false;
  }
  static std::string_view TextOf(const Token& token) {
    return token.kind == TokenKind::kEnd ? "<EOF>" : token.text;
  }

  NodeId SyntaxError(std::string message) {
    return Fail(Peek().offset, "Syntax error: " + std::move(message));
  }
  // Ends parsing: further messages about the rest of the text would only repeat this one.
  NodeId Fail(uint32_t offset, std::string message) {
    if (!ended_) errors_.push_back({offset, std::move(message)});
    ended_ = true;
    at_ = tokens_.size() - 1;
    return kNoNode;
  }
  // An error that leaves the shape of the expression as it is.
  NodeId Report(uint32_t offset, std::string message) {
    errors_.push_back({offset, std::move(message)});
    return Add(InvalidNode(offset), 0);
  }

  // `steps`: what the node itself adds to the longest path below it.
  NodeId Add(Node node, uint16_t steps) {
    if (ended_) return kNoNode;
    uint16_t deepest = 0;
    for (const NodeId child : node.children) {
      if (child == kNoNode) continue;
      deepest = std::max(deepest, ast_[child].path_depth);
    }
    node.path_depth = static_cast<uint16_t>(deepest + steps);
    if (node.path_depth > kPathMax) {
      return Fail(SourceError::kNowhere, "max recursion depth exceeded");
    }
    ast_.nodes.push_back(node);
    return static_cast<NodeId>(ast_.nodes.size() - 1);
  }

  std::span<NodeId> Children(std::span<const NodeId> ids) { return ast_.memory.Copy(ids); }
  std::span<NodeId> Children(std::initializer_list<NodeId> ids) {
    return ast_.memory.Copy(std::span<const NodeId>(ids));
  }

  NodeId AddCall(std::string_view function,
                 uint32_t offset,
                 std::initializer_list<NodeId> arguments) {
    const auto steps = static_cast<uint16_t>(arguments.size() > 1 ? 1 : 0);
    return Add({.kind = NodeKind::kCall,
                .offset = offset,
                .name = function,
                .children = Children(arguments)},
               steps);
  }

  // expression = or [ "?" or ":" expression ]
  NodeId Expression() {
    if (++nesting_ > kNestingMax) {
      errors_.clear();  // upstream reports nothing about the parts
      return Fail(SourceError::kNowhere,
                  fmt::format("expression recursion limit exceeded: {}", kNestingMax));
    }
    NodeId node = Binary(kOrPrecedence);
    if (!ended_ && Sees('?')) {
      const uint32_t offset = Take().offset;
      const NodeId then = Binary(kOrPrecedence);
      if (!ended_ && Expect(':')) {
        const NodeId otherwise = Expression();
        node = Add({.kind = NodeKind::kConditional,
                    .offset = offset,
                    .children = Children({node, then, otherwise})},
                   1);
      }
    }
    --nesting_;
    return ended_ ? kNoNode : node;
  }

  const BinaryOperator* PeekBinary() const {
    const Symbol symbol = Peek().symbol;
    if (symbol == Symbol::kNone) return nullptr;
    const auto* const found = std::ranges::find(kBinaryOperators, symbol, &BinaryOperator::symbol);
    return found == std::end(kBinaryOperators) ? nullptr : found;
  }

  NodeId Binary(int least) {
    NodeId left = Unary();
    while (!ended_) {
      const BinaryOperator* const op = PeekBinary();
      if (op == nullptr || op->precedence < least) break;
      if (op->precedence <= kAndPrecedence) {
        left = Chain(left, *op);
        continue;
      }
      const uint32_t offset = Take().offset;
      const NodeId right = Binary(op->precedence + 1);
      left = AddCall(op->function, offset, {left, right});
    }
    return ended_ ? kNoNode : left;
  }

  NodeId Chain(NodeId first, const BinaryOperator& op) {
    std::vector<NodeId> terms = {first};
    std::vector<uint32_t> offsets;
    while (!ended_ && Peek().symbol == op.symbol) {
      offsets.push_back(Take().offset);
      terms.push_back(Binary(op.precedence + 1));
    }
    const NodeKind kind = op.precedence == kOrPrecedence ? NodeKind::kOr : NodeKind::kAnd;
    // Upstream makes a balanced tree of the chain; this is the place of its root.
    const uint32_t offset = offsets[offsets.size() / 2];
    return Add({.kind = kind, .offset = offset, .children = Children(terms)}, 0);
  }

  NodeId Unary() {
    const uint32_t offset = Peek().offset;
    const bool negative = Sees('-');
    if (!negative && !Sees('!')) return Member();
    const TokenKind next = Peek(1).kind;
    if (negative && (next == TokenKind::kInt || next == TokenKind::kDouble)) return Member();
    const char symbol = negative ? '-' : '!';
    size_t run = 0;
    while (Accept(symbol)) ++run;
    const bool mixed =
        Sees(negative ? '!' : '-') &&
        (negative || (Peek(1).kind != TokenKind::kInt && Peek(1).kind != TokenKind::kDouble));
    if (mixed)
      return SyntaxError(fmt::format("no viable alternative at input '{}{}'", symbol, Peek().text));
    const NodeId operand = Member();
    if (ended_ || run % 2 == 0) return operand;
    return AddCall(negative ? "-_" : "!_", offset, {operand});
  }

  NodeId Member() {
    NodeId node = Primary();
    while (!ended_) {
      if (Sees('.')) {
        node = Selection(node);
      } else if (Sees('[')) {
        node = Index(node);
      } else {
        break;
      }
    }
    return ended_ ? kNoNode : node;
  }

  NodeId Selection(NodeId operand) {
    const Token point = Take();
    const uint32_t dot = point.offset;
    const bool optional = Accept('?');
    const Token& field = Peek();
    if (!optional && !MayFollowPoint(field)) return NoSelection(operand, point, field);
    const std::string_view name = FieldName();
    if (ended_) return kNoNode;
    if (!optional && field.kind == TokenKind::kIdentifier && Sees('(')) {
      return MemberCall(operand, field);
    }
    return Add({.kind = NodeKind::kSelect,
                .optional = optional,
                .offset = dot,
                .name = name,
                .children = Children({operand})},
               1);
  }

  // Upstream continues behind the point, where `in` is an operator.
  NodeId NoSelection(NodeId operand, const Token& point, const Token& next) {
    const bool at_end = next.kind == TokenKind::kEnd;
    const char* const end = at_end ? point.text.end() : next.text.end();
    std::string message = fmt::format("no viable alternative at input '{}'",
                                      std::string_view(point.text.begin(), end));
    if (next.kind != TokenKind::kIn) return SyntaxError(std::move(message));
    errors_.push_back({next.offset, "Syntax error: " + std::move(message)});
    return operand;
  }

  NodeId MemberCall(NodeId receiver, const Token& name) {
    const uint32_t offset = Peek().offset;
    std::vector<NodeId> arguments = {receiver};
    if (!Arguments(arguments)) return kNoNode;
    Node call{.kind = NodeKind::kCall,
              .is_member = true,
              .offset = offset,
              .name = name.text,
              .children = Children(arguments)};
    ExpandMacro(ast_, call, environment_, errors_);
    return Add(call, 1);
  }

  bool Arguments(std::vector<NodeId>& arguments) {
    if (!Expect('(')) return false;
    if (Accept(')')) return true;
    do {
      arguments.push_back(Expression());
    } while (!ended_ && Accept(','));
    return !ended_ && Expect(')');
  }

  NodeId Index(NodeId operand) {
    const uint32_t offset = Take().offset;
    const bool optional = Accept('?');
    const NodeId key = Expression();
    if (ended_ || !Expect(']')) return kNoNode;
    return Add({.kind = NodeKind::kIndex,
                .optional = optional,
                .offset = offset,
                .children = Children({operand, key})},
               1);
  }

  NodeId Primary() {
    const Token token = Peek();
    switch (token.kind) {
      case TokenKind::kIdentifier: return Name();
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
      case TokenKind::kString:
      case TokenKind::kBytes: return Literal(token.offset, /*minus=*/"");
      case TokenKind::kTrue: Take(); return AddLiteral(token.offset, true);
      case TokenKind::kFalse: Take(); return AddLiteral(token.offset, false);
      case TokenKind::kNull: Take(); return AddLiteral(token.offset, std::monostate());
      case TokenKind::kOperator: return Punctuated(token);
      case TokenKind::kEnd:
      case TokenKind::kIn:
      case TokenKind::kQuotedIdentifier: break;
    }
    return Unexpected();
  }

  // Upstream leaves out one token if an operand begins behind it, and continues there.
  NodeId Unexpected() {
    constexpr std::string_view kExpected =
        "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
        "STRING, BYTES, IDENTIFIER}";
    constexpr size_t kRecoveriesMax = 30;  // then upstream gives up
    const bool is_one_too_many = !ended_ && errors_.size() < kRecoveriesMax &&
                                 Peek().kind != TokenKind::kEnd && BeginsOperand(Peek(1));
    if (!is_one_too_many) {
      return SyntaxError(
          fmt::format("mismatched input '{}' expecting {}", TextOf(Peek()), kExpected));
    }
    const Token token = Take();
    errors_.push_back(
        {token.offset,
         fmt::format("Syntax error: extraneous input '{}' expecting {}", token.text, kExpected)});
    return Unary();
  }

  NodeId Punctuated(const Token& token) {
    if (token.text == "(") {
      Take();
      const NodeId inner = Expression();
      return !ended_ && Expect(')') ? inner : kNoNode;
    }
    if (token.text == "[") return List();
    if (token.text == "{") return Map();
    if (token.text == ".") return Name();
    if (token.text == "-") {
      Take();
      return Literal(token.offset, "-");
    }
    return Unexpected();
  }

  // A variable, a global call or a message literal; a leading dot means "from the root".
  NodeId Name() {
    const uint32_t start = Peek().offset;
    const bool rooted = Accept('.');
    if (Peek().kind != TokenKind::kIdentifier) return Unexpected();
    if (IsMessage()) return Message(rooted);
    const Token name = Take();
    const bool is_reserved = std::ranges::find(kReserved, name.text) != kReserved.end();
    const std::string_view full =
        rooted ? ast_.memory.Copy(fmt::format(".{}", name.text)) : name.text;
    if (Sees('(')) return is_reserved ? ReservedCall(start, name) : GlobalCall(full);
    if (is_reserved) return Report(start, fmt::format("reserved identifier: {}", name.text));
    return Add({.kind = NodeKind::kIdentifier, .offset = name.offset, .name = full}, 0);
  }

  NodeId GlobalCall(std::string_view name) {
    const uint32_t offset = Peek().offset;
    std::vector<NodeId> arguments;
    if (!Arguments(arguments)) return kNoNode;
    Node call{
        .kind = NodeKind::kCall, .offset = offset, .name = name, .children = Children(arguments)};
    ExpandMacro(ast_, call, environment_, errors_);
    return Add(call, 0);
  }

  // The arguments are not checked.
  NodeId ReservedCall(uint32_t start, const Token& name) {
    const size_t before = errors_.size();
    std::vector<NodeId> arguments;
    if (!Arguments(arguments)) return kNoNode;
    errors_.resize(before);
    return Report(start, fmt::format("reserved identifier: {}", name.text));
  }

  bool IsMessage() const {
    size_t ahead = 1;
    while (Sees('.', ahead) && Peek(ahead + 1).kind == TokenKind::kIdentifier) ahead += 2;
    return Sees('{', ahead);
  }

  NodeId Message(bool rooted) {
    std::string name = rooted ? "." : "";
    while (!Sees('{')) name += Take().text;
    const uint32_t offset = Take().offset;
    Entries entries;
    if (Sees(',') && Sees('}', 1)) Take();
    while (!ended_ && !Sees('}')) {
      entries.Begin(Accept('?'));
      const std::string_view field = FieldName();
      const uint32_t colon = Peek().offset;
      if (ended_ || !Expect(':')) return kNoNode;
      entries.children.push_back(AddLiteral(colon, field));
      entries.children.push_back(Expression());
      if (!Accept(',')) break;
    }
    if (ended_ || !Expect('}')) return kNoNode;
    return AddEntries(NodeKind::kMessage, offset, ast_.memory.Copy(name), entries);
  }

  // Reads the field's name in a selection or message; empty after an error.
  std::string_view FieldName() {
    const Token& field = Peek();
    const bool is_quoted = field.kind == TokenKind::kQuotedIdentifier;
    if (!is_quoted && field.kind != TokenKind::kIdentifier) {
      SyntaxError(fmt::format("mismatched input '{}' expecting IDENTIFIER", TextOf(field)));
      return {};
    }
    Take();
    if (!is_quoted || environment_.since(api::Release::kNewest)) return field.text;
    errors_.push_back({field.offset, "unsupported syntax: '`'"});
    return {};
  }

  // The entries of a list or map while they are read.
  struct Entries {
    std::vector<NodeId> children;
    std::vector<bool> optional;
    bool any_optional = false;

    void Begin(bool is_optional) {
      optional.push_back(is_optional);
      any_optional = any_optional || is_optional;
    }
  };

  NodeId AddEntries(NodeKind kind, uint32_t offset, std::string_view name, const Entries& entries) {
    Node node{.kind = kind, .offset = offset, .name = name, .children = Children(entries.children)};
    if (entries.any_optional) {
      const std::span<bool> flags = ast_.memory.MakeArray<bool>(entries.optional.size());
      std::ranges::copy(entries.optional, flags.begin());
      node.optional_entries = flags;
    }
    return Add(node, 0);
  }

  NodeId List() {
    const uint32_t offset = Take().offset;
    Entries entries;
    if (Sees(',') && Sees(']', 1)) Take();
    while (!ended_ && !Sees(']')) {
      entries.Begin(Accept('?'));
      entries.children.push_back(Expression());
      if (!Accept(',')) break;
    }
    if (ended_ || !Expect(']')) return kNoNode;
    return AddEntries(NodeKind::kList, offset, /*name=*/"", entries);
  }

  NodeId Map() {
    const uint32_t offset = Take().offset;
    Entries entries;
    if (Sees(',') && Sees('}', 1)) Take();
    while (!ended_ && !Sees('}')) {
      entries.Begin(Accept('?'));
      entries.children.push_back(Expression());
      if (ended_ || !Expect(':')) return kNoNode;
      entries.children.push_back(Expression());
      if (!Accept(',')) break;
    }
    if (ended_ || !Expect('}')) return kNoNode;
    return AddEntries(NodeKind::kMap, offset, /*name=*/"", entries);
  }

  NodeId AddLiteral(uint32_t offset, Constant value) {
    return Add({.kind = NodeKind::kLiteral, .offset = offset, .constant = value}, 0);
  }

  // The minus of a number belongs to it, so that the smallest int can be written.
  NodeId Literal(uint32_t offset, std::string_view minus) {
    const Token token = Take();
    switch (token.kind) {
      case TokenKind::kInt: return Integer(offset, minus, token.text);
      case TokenKind::kUint: return Unsigned(offset, token.text);
      case TokenKind::kDouble: return Double(offset, minus, token.text);
      case TokenKind::kString:
      case TokenKind::kBytes: return Text(token);
      case TokenKind::kEnd:
      case TokenKind::kIdentifier:
      case TokenKind::kQuotedIdentifier:
      case TokenKind::kTrue:
      case TokenKind::kFalse:
      case TokenKind::kNull:
      case TokenKind::kIn:
      case TokenKind::kOperator: break;
    }
    return Unexpected();
  }

  template <class T>
  static std::optional<T> ParseDigits(std::string_view minus, std::string_view digits) {
    const bool hex = digits.starts_with("0x");
    if (hex) digits.remove_prefix(2);
    const std::string text = std::string(minus) + std::string(digits);
    T value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value, hex ? 16 : 10);
    if (code != std::errc() || stop != end) return std::nullopt;
    return value;
  }

  NodeId Integer(uint32_t offset, std::string_view minus, std::string_view digits) {
    const auto value = ParseDigits<int64_t>(minus, digits);
    return value ? AddLiteral(offset, *value) : Report(offset, "invalid int literal");
  }

  NodeId Unsigned(uint32_t offset, std::string_view text) {
    const auto value = ParseDigits<uint64_t>("", text.substr(0, text.size() - 1));
    return value ? AddLiteral(offset, *value) : Report(offset, "invalid uint literal");
  }

  NodeId Double(uint32_t offset, std::string_view minus, std::string_view digits) {
    double value = 0;
    const auto code = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
    if (code == std::errc::result_out_of_range) {
      // Too small gives zero, too big is an error; the sign of the exponent tells them apart.
      const size_t exponent = digits.find_first_of("eE");
      const bool tiny = exponent != std::string_view::npos
                            ? digits.substr(exponent + 1).starts_with('-')
                            : digits.starts_with('0') || digits.starts_with('.');
      if (!tiny) return Report(offset, "invalid double literal");
      value = 0;
    }
    return AddLiteral(offset, minus.empty() ? value : -value);
  }

  NodeId Text(const Token& token) {
    const bool is_bytes = token.kind == TokenKind::kBytes;
    const bool lax_surrogates = !environment_.since(api::Release::k1_33);
    std::string value;
    if (!DecodeLiteral(token.text, is_bytes, lax_surrogates, value)) {
      const bool is_point = !is_bytes && environment_.since(api::Release::k1_33);
      return Report(token.offset,
                    is_point ? "invalid unicode code point" : "unable to unescape string");
    }
    const std::string_view kept = ast_.memory.Copy(value);
    if (is_bytes) return AddLiteral(token.offset, Bytes{kept});
    return AddLiteral(token.offset, kept);
  }

  const Environment& environment_;
  std::vector<SourceError>& errors_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
  bool ended_ = false;  // by a syntax error or a limit
  Ast ast_;
};

}  // namespace

Ast Parse(std::string_view expression,
          const Environment& environment,
          std::vector<SourceError>& errors) {
  // Each code point has at least one byte.
  const size_t size = expression.size() <= kCodePointsMax ? 0 : CountCodePoints(expression);
  if (size > kCodePointsMax) {
    errors.push_back({SourceError::kNowhere,
                      fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                                  size,
                                  kCodePointsMax)});
    return {};
  }
  return Parser(expression, environment, errors).Run();
}

}  // namespace dray::cel::syntax
