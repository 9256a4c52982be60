// SPDX-License-Identifier: Apache-2.0
#include "cel/library/registry.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/check.h"
#include "cel/library/tables.h"

namespace dray::cel::library {

using check::Overload;
using check::TypeKind;

namespace {

using Index = std::unordered_map<std::string_view, Builtin>;

Index IndexBuiltins(api::Release release) {
  Index index;
  for (const auto table : {OperatorBuiltins(),
                           ConversionBuiltins(),
                           StringBuiltins(),
                           RegexBuiltins(),
                           ListBuiltins(),
                           OptionalBuiltins(),
                           QuantityBuiltins(),
                           SemverBuiltins(),
                           TimeBuiltins(),
                           AddressBuiltins(),
                           UrlBuiltins(),
                           AuthorizationBuiltins(),
                           FormatBuiltins(),
                           TextFormatBuiltins()}) {
    for (Builtin builtin : table) {
      if (!builtin.in.Rules(release)) continue;
      if (!builtin.charged.Rules(release)) builtin.cost = CostRule::kOne;
      const bool is_new = index.emplace(builtin.name, builtin).second;
      DRAY_CHECK(is_new);
    }
  }
  return index;
}

constexpr int kFirstMinor = api::MinorOf(api::Release::k1_30);
constexpr size_t kReleases = api::MinorOf(api::Release::kNewest) - kFirstMinor + 1;

std::array<Index, kReleases> IndexReleases() {
  std::array<Index, kReleases> indexes;
  for (size_t i = 0; i < kReleases; ++i) {
    indexes[i] = IndexBuiltins(static_cast<api::Release>(kFirstMinor + static_cast<int>(i)));
  }
  return indexes;
}

bool Accepts(const check::Type& type, const Value& value) {
  const ValueKind kind = value.kind();
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kParameter: return true;
    case TypeKind::kList: {
      if (kind != ValueKind::kList) return false;
      return value.list().empty() || Accepts(*type.parameters[0], value.list().At(0));
    }
    case TypeKind::kMap: return kind == ValueKind::kMap;
    case TypeKind::kOptional: return kind == ValueKind::kOptional;
    case TypeKind::kWrapper: return kind == ValueKind::kNull || Accepts(*type.parameters[0], value);
    case TypeKind::kObject:
    case TypeKind::kOpaque: return TypeName(value) == type.name;
    case TypeKind::kError: return kind == ValueKind::kError;
    case TypeKind::kNull: return kind == ValueKind::kNull;
    case TypeKind::kBool: return kind == ValueKind::kBool;
    case TypeKind::kInt: return kind == ValueKind::kInt;
    case TypeKind::kUint: return kind == ValueKind::kUint;
    case TypeKind::kDouble: return kind == ValueKind::kDouble;
    case TypeKind::kString: return kind == ValueKind::kString;
    case TypeKind::kBytes: return kind == ValueKind::kBytes;
    case TypeKind::kTimestamp: return kind == ValueKind::kTimestamp;
    case TypeKind::kDuration: return kind == ValueKind::kDuration;
    case TypeKind::kType: return kind == ValueKind::kType;
  }
  return false;
}

// The name of the row for one overload, where it has its own.
std::string_view NameOf(std::string_view function, const Overload& overload) {
  if (function == "sum") {
    if (overload.result->kind == TypeKind::kUint) return "sum(uint)";
    if (overload.result->kind == TypeKind::kDouble) return "sum(double)";
    if (overload.result->kind == TypeKind::kDuration) return "sum(duration)";
  }
  if (function == "ip" && overload.style == check::Style::kMember) return "ip(net.CIDR)";
  if (function.starts_with("contains") && overload.parameters.size() == 2 &&
      overload.parameters[1]->kind == TypeKind::kString) {
    if (function == "containsIP") return "containsIP(string)";
    if (function == "containsCIDR") return "containsCIDR(string)";
  }
  return function;
}

}  // namespace

const Builtin* FindBuiltin(std::string_view name,
                           const Environment& environment,
                           const Overload* overload) {
  static const std::array<Index, kReleases> kIndexes = IndexReleases();
  if (name.starts_with('.')) name.remove_prefix(1);
  if (overload != nullptr) name = NameOf(name, *overload);
  const int minor = std::max(api::MinorOf(environment.rules()), kFirstMinor);
  const Index& index = kIndexes[static_cast<size_t>(minor - kFirstMinor)];
  const auto found = index.find(name);
  return found == index.end() ? nullptr : &found->second;
}

bool IsConversion(std::string_view name) {
  return std::ranges::any_of(ConversionBuiltins(),
                             [&](const Builtin& builtin) { return builtin.name == name; });
}

bool AcceptsValues(const check::Function& function,
                   std::span<const Value> arguments,
                   const Overload* only) {
  const auto takes = [arguments](const Overload& overload) {
    return std::ranges::equal(
        overload.parameters, arguments, [](const check::Type* type, const Value& value) {
          return Accepts(*type, value);
        });
  };
  return only != nullptr ? takes(*only) : std::ranges::any_of(function.overloads, takes);
}

}  // namespace dray::cel::library
