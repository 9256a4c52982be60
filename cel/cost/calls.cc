// SPDX-License-Identifier: Apache-2.0
// One formula per function, found by name. A formula gives the cost of one overload. A function
// that is not in the table costs 1, and so does an overload that its formula does not cover.
#include "cel/cost/calls.h"

#include <algorithm>
#include <cmath>

namespace dray::cel::cost {

using check::TypeKind;

namespace {

constexpr double kPerCharacter = 0.1;
constexpr double kPerPatternCharacter = 0.25;
constexpr uint64_t kListCost = 10;
constexpr uint64_t kObjectCost = 40;

TypeKind FirstParameter(const CallSite& call) {
  return call.overload.parameters.empty() ? TypeKind::kError : call.overload.parameters[0]->kind;
}

TypeKind SecondParameter(const CallSite& call) {
  return call.overload.parameters.size() < 2 ? TypeKind::kError : call.overload.parameters[1]->kind;
}

bool IsText(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kBytes;
}

SizeRange Argument(const CallSite& call, size_t index) {
  if (index >= call.arguments.size()) return SizeRange::Unknown();
  return call.arguments[index].size_or_unknown();
}

// The text that a function works on: the receiver of a member, else the first argument.
SizeRange Subject(const CallSite& call) {
  return call.receiver != nullptr ? call.receiver->size_or_unknown() : Argument(call, 0);
}

CallEstimate ScanSubject(const CallSite& call) {
  return {.cost = Scan(Subject(call), kPerCharacter)};
}

CallEstimate ScanArgument(const CallSite& call) {
  return {.cost = Scan(Argument(call, 0), kPerCharacter)};
}

CallEstimate ScanArgumentTwice(const CallSite& call) {
  return {.cost = Scan(Argument(call, 0), 2 * kPerCharacter)};
}

// The result is at most as long as the subject; upstream takes it to be exactly as long.
CallEstimate ScanToSameSize(const CallSite& call) {
  return {.cost = Scan(Subject(call), kPerCharacter), .result_size = Subject(call)};
}

CallEstimate ToBytes(const CallSite& call) {
  if (FirstParameter(call) != TypeKind::kString) return {};
  const SizeRange size = Argument(call, 0);
  // Up to four bytes for each character; unknown sizes wrap around as they do upstream.
  return {.cost = Scan(size, kPerCharacter), .result_size = SizeRange{size.min, size.max * 4}};
}

CallEstimate ToString(const CallSite& call) {
  if (FirstParameter(call) != TypeKind::kBytes) return {};
  const SizeRange size = Argument(call, 0);
  return {.cost = Scan(size, kPerCharacter), .result_size = SizeRange{size.min / 4, size.max}};
}

CallEstimate Quote(const CallSite& call) {
  const SizeRange size = Argument(call, 0);
  // Two quotes, and perhaps every character escaped; wraps around.
  return {.cost = Scan(size, kPerCharacter),
          .result_size = SizeRange{size.min + 2, size.max * 2 + 2}};
}

CallEstimate Membership(const CallSite& call) {
  if (SecondParameter(call) != TypeKind::kList) return {};
  return {.cost = Scan(Argument(call, 1), 1)};
}

CostRange RegexCost(SizeRange text, SizeRange pattern) {
  // One more, because an empty text still needs the pattern to be run.
  return Scan(text + SizeRange::Exactly(1), kPerCharacter) * Scan(pattern, kPerPatternCharacter);
}

CallEstimate Matches(const CallSite& call) {
  if (call.receiver != nullptr) return {.cost = RegexCost(Subject(call), Argument(call, 0))};
  if (call.rules < api::Release::kNewest) return {};
  return {.cost = RegexCost(Argument(call, 0), Argument(call, 1))};
}

CallEstimate Find(const CallSite& call) {
  const SizeRange text = Subject(call);
  return {.cost = RegexCost(text, Argument(call, 0)), .result_size = SizeRange{0, text.max}};
}

CallEstimate Contains(const CallSite& call) {
  return {.cost = Scan(Subject(call), kPerCharacter) * Scan(Argument(call, 0), kPerCharacter)};
}

CallEstimate Concatenation(const CallSite& call) {
  const TypeKind kind = FirstParameter(call);
  if (kind != TypeKind::kList && !IsText(kind)) return {};
  const SizeRange size = Argument(call, 0) + Argument(call, 1);
  if (kind == TypeKind::kList) return {.result_size = size};
  return {.cost = Scan(size, kPerCharacter), .result_size = size};
}

CallEstimate CompareTexts(const CallSite& call) {
  const uint64_t shorter = std::min(Argument(call, 0).max, Argument(call, 1).max);
  return {.cost = Scan({std::min<uint64_t>(shorter, 1), shorter}, kPerCharacter)};
}

CallEstimate Ordering(const CallSite& call) {
  const bool texts = IsText(FirstParameter(call)) && IsText(SecondParameter(call));
  return texts ? CompareTexts(call) : CallEstimate{};
}

constexpr uint64_t kFormatNameMax = 64;

// The types whose values compare at once; nothing if sizes count.
std::optional<CallEstimate> EqualityByType(const CallSite& call) {
  const check::Type& left = *call.arguments[0].type;
  if (!check::SameType(left, *call.arguments[1].type)) return std::nullopt;
  if (left.name == "kubernetes.NamedFormat") {
    return CallEstimate{.cost = Scan({1, kFormatNameMax}, kPerCharacter)};
  }
  if (left.name == "kubernetes.URL") {
    const SizeRange right = call.arguments[1].size.value_or(SizeRange::Exactly(1));
    return CallEstimate{.cost = Scan({1, right.max}, kPerCharacter)};
  }
  if (left.name == "net.IP" || left.name == "net.CIDR" || left.name == "kubernetes.Quantity" ||
      left.name == "kubernetes.Semver" || left.name.starts_with("kubernetes.authorization.")) {
    return CallEstimate{};
  }
  return std::nullopt;
}

CallEstimate Equality(const CallSite& call) {
  return EqualityByType(call).value_or(CompareTexts(call));
}

// For lists every element counts, for lists of texts every character; a type with type parameters
// counts as a list.
CallEstimate Traversal(const CallSite& call) {
  if (call.receiver == nullptr) return {};
  const Operand& target = *call.receiver;
  if (target.type->parameters.empty()) {
    if (call.function.name == "includes") return {.cost = Times(Subject(call), {1, 1})};
    return ScanSubject(call);
  }
  CostRange each = CostRange::Exactly(1);
  if (IsText(target.type->parameters[0]->kind)) {
    each = each + Scan(target.element_size.value_or(SizeRange::Unknown()), kPerCharacter);
  }
  return {.cost = Times(Subject(call), each)};
}

CallEstimate Includes(const CallSite& call) {
  // ResourceSliceMaxAttributeValuesPerDevice, whatever the target is.
  constexpr uint64_t kAttributeValuesMax = 48;
  if (call.rules < api::Release::kNewest) return {.cost = {0, kAttributeValuesMax}};
  return Traversal(call);
}

// How often a text of `text` characters can hold a separate one of `part` > 0. Unknown lengths give
// 2^63, which is what the conversion of a too large double yields on upstream's processors.
uint64_t Occurrences(uint64_t text, uint64_t part) {
  const double count = std::ceil(static_cast<double>(text) / static_cast<double>(part));
  return count >= 0x1p64 ? uint64_t{1} << 63 : static_cast<uint64_t>(count);
}

CallEstimate Replace(const CallSite& call) {
  const SizeRange text = Subject(call);
  const SizeRange old = Argument(call, 0);
  const SizeRange replacement = Argument(call, 1);
  SizeRange count;
  SizeRange kept;
  if (old.min == 0) {  // an empty text is found around every character
    count.max = SaturatingSum(text.max, 1);
    kept.max = text.max;
  } else if (replacement.max <= old.min) {  // does not grow
    kept.max = text.max;
  } else {
    count.max = Occurrences(text.max, old.min);
  }
  if (old.max == 0) {
    count.min = SaturatingSum(text.min, 1);
    kept.min = text.min;
  } else if (old.max <= replacement.min) {  // does not shrink
    kept.min = text.min;
  } else {
    count.min = Occurrences(text.min, old.max);
  }
  return {.cost = Scan(text, 2 * kPerCharacter), .result_size = count * replacement + kept};
}

CallEstimate Split(const CallSite& call) {
  const SizeRange text = Subject(call);
  std::optional<int64_t> limit;
  if (call.arguments.size() > 1) limit = call.arguments[1].integer;
  // A negative limit means no limit.
  const uint64_t parts_max = limit.has_value() ? static_cast<uint64_t>(*limit) : text.max;
  return {.cost = Scan(text, 2 * kPerCharacter), .result_size = SizeRange{0, parts_max}};
}

constexpr uint64_t OneLess(uint64_t number) {
  return number > 0 ? number - 1 : 0;
}

CallEstimate JoinTexts(const CallSite& call) {
  if (call.receiver == nullptr) return {};
  const SizeRange list = Subject(call);
  SizeRange size;
  if (!call.receiver->type->parameters.empty()) {
    size = list * call.receiver->element_size.value_or(SizeRange::Unknown());
  }
  if (!call.arguments.empty()) {
    size = size + Argument(call, 0) * SizeRange{OneLess(list.min), OneLess(list.max)};
  }
  return {.cost = Scan(size, kPerCharacter), .result_size = size};
}

// Addresses have 4 or 16 bytes; upstream counts those of the prefix twice.
constexpr SizeRange kAddressBytes = {4, 16};

CostRange OtherAsText(const CallSite& call) {
  if (SecondParameter(call) != TypeKind::kString) return {};
  return Scan(Argument(call, 0), kPerCharacter);
}

CallEstimate ContainsIp(const CallSite& call) {
  return {.cost = Scan(kAddressBytes + kAddressBytes, kPerCharacter) + OtherAsText(call)};
}

CallEstimate ContainsCidr(const CallSite& call) {
  const CostRange masking = Scan(kAddressBytes, kPerCharacter) + CostRange::Exactly(1);
  return {.cost = Scan(kAddressBytes + kAddressBytes, kPerCharacter) + masking + OtherAsText(call)};
}

CallEstimate Ip(const CallSite& call) {
  return call.receiver != nullptr ? CallEstimate{} : ScanArgument(call);
}

// In 1.32 the estimate does not cover the semver library.
CallEstimate ScanVersion(const CallSite& call) {
  return call.rules < api::Release::k1_33 ? CallEstimate{} : ScanArgument(call);
}

CallEstimate ValidateFormat(const CallSite& call) {
  constexpr double kPatternLengthMax = 128;
  return {.cost = Scaled(Scan(Argument(call, 0), kPerCharacter),
                         kPatternLengthMax * kPerPatternCharacter)};
}

CallEstimate AuthorizationCheck(const CallSite& /*call*/) {
  return {.cost = CostRange::Exactly(350'000)};
}

// A requirement of a label selector takes two characters at least and is an object with a list.
CallEstimate ParseSelector(const CallSite& call) {
  if (call.arguments.size() != 1) return {};
  const SizeRange text = Argument(call, 0);
  const CostRange requirements =
      Scaled(Scan(text, 0.5), static_cast<double>(kListCost + kObjectCost));
  return {.cost = CostRange::Exactly(kListCost) + Scan(text, kPerCharacter) + requirements};
}

CallEstimate Sets(const CallSite& call) {
  const double factor = call.function.name == "sets.equivalent" ? 2 : 1;
  return {.cost = Scan(Argument(call, 0) * Argument(call, 1), factor) + CostRange::Exactly(1)};
}

// A call that makes a list: `factor` for each unit of `size`. Upstream uses `size` as the size of
// the result too, even where `size` is a square.
CallEstimate MakeList(SizeRange size, double factor) {
  return {.cost = Scan(size, factor) + CostRange::Exactly(1 + kListCost), .result_size = size};
}

// The argument if it is a literal number.
uint64_t LiteralOr(const CallSite& call, size_t index, uint64_t otherwise) {
  if (index >= call.arguments.size()) return otherwise;
  const std::optional<int64_t> literal = call.arguments[index].integer;
  if (!literal.has_value()) return otherwise;
  return *literal < 0 ? 0 : static_cast<uint64_t>(*literal);
}

CallEstimate Slice(const CallSite& call) {
  const uint64_t first = LiteralOr(call, 0, 0);
  const uint64_t last = LiteralOr(call, 1, Subject(call).max);
  return MakeList(SizeRange::Exactly(last - first), 1);  // wraps around if they are swapped
}

CallEstimate RangeOfNumbers(const CallSite& call) {
  return MakeList(SizeRange::Exactly(LiteralOr(call, 0, kUnbounded)), 1);
}

CallEstimate Reverse(const CallSite& call) {
  return MakeList(Subject(call), 1);
}

CallEstimate Flatten(const CallSite& call) {
  const uint64_t depth = call.arguments.empty() ? 1 : LiteralOr(call, 0, kUnbounded);
  return MakeList(Subject(call), static_cast<double>(depth));
}

constexpr double kPerComparison = 2;

CallEstimate Distinct(const CallSite& call) {
  return MakeList(Subject(call) * Subject(call), kPerComparison);
}

double SortFactor(const check::Type& element) {
  return IsText(element.kind) ? kPerComparison + kPerCharacter : kPerComparison;
}

CallEstimate Sort(const CallSite& call) {
  const SizeRange size = Subject(call);
  return MakeList(size * size, SortFactor(*call.overload.parameters[0]->parameters[0]));
}

// The keys are the only argument, a list.
CallEstimate SortByKeys(const CallSite& call) {
  const SizeRange size = Argument(call, 0);
  return MakeList(size * size, SortFactor(*call.overload.parameters[1]->parameters[0]));
}

struct Formula {
  std::string_view function;
  CallEstimate (*estimate)(const CallSite& call);
};

constexpr Formula kFormulas[] = {
    // by name
    {"@in", Membership},
    {"@sortByAssociatedKeys", SortByKeys},
    {"_!=_", CompareTexts},
    {"_+_", Concatenation},
    {"_<=_", Ordering},
    {"_<_", Ordering},
    {"_==_", Equality},
    {"_>=_", Ordering},
    {"_>_", Ordering},
    {"bytes", ToBytes},
    {"check", AuthorizationCheck},
    {"cidr", ScanArgument},
    {"contains", Contains},
    {"containsCIDR", ContainsCidr},
    {"containsIP", ContainsIp},
    {"distinct", Distinct},
    {"endsWith", ScanArgument},
    {"fieldSelector", ParseSelector},
    {"find", Find},
    {"findAll", Find},
    {"flatten", Flatten},
    {"format", ScanSubject},
    {"includes", Includes},
    {"indexOf", Traversal},
    {"ip", Ip},
    {"ip.isCanonical", ScanArgumentTwice},
    {"isCIDR", ScanArgument},
    {"isIP", ScanArgument},
    {"isQuantity", ScanArgument},
    {"isSemver", ScanVersion},
    {"isSorted", Traversal},
    {"join", JoinTexts},
    {"labelSelector", ParseSelector},
    {"lastIndexOf", Traversal},
    {"lists.range", RangeOfNumbers},
    {"lowerAscii", ScanToSameSize},
    {"matches", Matches},
    {"max", Traversal},
    {"min", Traversal},
    {"quantity", ScanArgument},
    {"replace", Replace},
    {"reverse", Reverse},
    {"semver", ScanVersion},
    {"sets.contains", Sets},
    {"sets.equivalent", Sets},
    {"sets.intersects", Sets},
    {"slice", Slice},
    {"sort", Sort},
    {"split", Split},
    {"startsWith", ScanArgument},
    {"string", ToString},
    {"strings.quote", Quote},
    {"substring", ScanToSameSize},
    {"sum", Traversal},
    {"trim", ScanToSameSize},
    {"upperAscii", ScanToSameSize},
    {"url", ScanToSameSize},
    {"validate", ValidateFormat},
};
static_assert(std::ranges::is_sorted(kFormulas, {}, &Formula::function));

}  // namespace

CallEstimate EstimateCall(const CallSite& call) {
  const auto* const found =
      std::ranges::lower_bound(kFormulas, call.function.name, {}, &Formula::function);
  if (found == std::ranges::end(kFormulas) || found->function != call.function.name) return {};
  return found->estimate(call);
}

}  // namespace dray::cel::cost
