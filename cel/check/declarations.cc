// SPDX-License-Identifier: Apache-2.0
#include "cel/check/declarations.h"

#include <algorithm>
#include <array>

namespace dray::cel {
namespace {

constexpr std::array<std::string_view, 16> kTypeNames = {
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "optional_type",
    "net.IP",
    "net.CIDR",
    "kubernetes.DRADevice",
};

// Calls take(part) for each part of `text` between separators.
template <class Take>
void Split(std::string_view text, std::string_view separator, Take take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
}

}  // namespace

const Declarations& Declarations::Get() {
  static const Declarations kDeclarations;
  return kDeclarations;
}

Declarations::Declarations() {
  for (const OverloadText& text : OverloadTable()) {
    Overload overload{.style = text.style, .parameters = {}, .result = pool_.Parse(text.result)};
    Split(text.parameters, "; ", [&](std::string_view parameter) {
      overload.parameters.push_back(pool_.Parse(parameter));
    });
    Split(text.names, " ", [&](std::string_view name) {
      Function& function = functions_[name];
      function.name = std::string(name);
      function.overloads.push_back(overload);
    });
  }
  for (const std::string_view name : kTypeNames) {
    type_names_[name] = pool_.Make(TypeKind::kType, {pool_.Parse(name)});
  }
}

const Function* Declarations::FindFunction(std::string_view name) const {
  if (name.starts_with('.')) name.remove_prefix(1);
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Type* Declarations::FindTypeName(std::string_view name) const {
  if (name.starts_with('.')) name.remove_prefix(1);
  const auto found = type_names_.find(name);
  return found == type_names_.end() ? nullptr : found->second;
}

}  // namespace dray::cel
