// SPDX-License-Identifier: Apache-2.0
#include "cel/device_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "api/codec/json.h"
#include "cel/device_values.h"

namespace dray::cel {

using check::CheckedAst;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

bool IsIdentifier(std::string_view id) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !id.empty() && kLetters.contains(id.front()) && std::ranges::all_of(id, [&](char c) {
    return kLetters.contains(c) || (c >= '0' && c <= '9');
  });
}

/// Which part of the device a node denotes, and how deep it lies.
struct Place {
  enum class Depth : uint8_t { kNowhere, kDevice, kSection, kDomain, kName };
  Depth depth = Depth::kNowhere;
  DeviceSection section = DeviceSection::kAttributes;
  std::string_view domain;
  size_t name = 0;  // of kName: its place in the list
};

bool IsComparison(std::string_view function) {
  constexpr std::array<std::string_view, 6> kOperators = {
      "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"};
  return std::ranges::find(kOperators, function) != kOperators.end();
}

class Reader {
 public:
  explicit Reader(const CheckedAst& checked) : checked_(checked) {}

  void Run() { Visit(checked_.ast.root); }
  std::vector<DeviceName>& names() { return names_; }
  std::vector<DeviceName>& tested() { return tested_; }
  std::vector<NamedComparison>& comparisons() { return comparisons_; }

 private:
  using Depth = Place::Depth;

  /// Looks at the node and all below it. Recursion is bounded by the parser's limits.
  Place Visit(NodeId id) {
    if (id == syntax::kNoNode) return {};
    const Node& node = checked_.ast[id];
    const auto children = node.children;
    switch (node.kind) {
      case NodeKind::kIdentifier: return Name(id);
      case NodeKind::kSelect:
      case NodeKind::kHas: {
        const bool is_test = node.kind == NodeKind::kHas || node.optional;
        return Step(Visit(children[0]), node.name, is_test);
      }
      case NodeKind::kIndex: {
        const Place place = Visit(children[0]);
        Visit(children[1]);
        const auto key = Text(children[1]);
        return key.has_value() ? Step(place, *key, node.optional) : Place();
      }
      case NodeKind::kBind:
      case NodeKind::kOptMap: {
        // The body sees the variable; another one may have the slot afterwards.
        const uint32_t slot = checked_.facts[id].slot;
        locals_[slot] = Visit(children[0]);
        const Place body = Visit(children[1]);
        locals_.erase(slot);
        return body;
      }
      default: break;
    }
    return Other(node);
  }

  Place Name(NodeId id) const {
    const check::NodeFacts& facts = checked_.facts[id];
    if (facts.name_kind == check::NameKind::kLocal) {
      const auto found = locals_.find(facts.slot);
      return found == locals_.end() ? Place() : found->second;
    }
    const bool is_device =
        facts.name_kind == check::NameKind::kVariable && checked_.ast[id].name == "device";
    return {.depth = is_device ? Depth::kDevice : Depth::kNowhere};
  }

  Place Other(const Node& node) {
    std::vector<Place> places;
    for (const NodeId child : node.children) places.push_back(Visit(child));
    if (node.kind != NodeKind::kCall || places.empty()) return {};
    if (node.name == "@in" && places.size() == 2) {
      const auto key = Text(node.children[0]);
      if (key.has_value()) Step(places[1], *key, true);
      const Node& list = checked_.ast[node.children[1]];
      for (const NodeId element : list.kind == NodeKind::kList ? list.children : none_)
        Compare(places[0], element);
    }
    if (IsComparison(node.name) && places.size() == 2) {
      Compare(places[0], node.children[1]);
      Compare(places[1], node.children[0]);
    }
    // An optional leads where its value does.
    const bool is_same = node.is_member && (node.name == "orValue" || node.name == "value");
    return is_same ? places[0] : Place();
  }

  /// Notes that what is at the place is compared with the node, if they are a name and a literal.
  void Compare(const Place& place, NodeId with) {
    const Node& node = checked_.ast[with];
    if (place.depth != Depth::kName || node.kind != NodeKind::kLiteral) return;
    const DeviceName& name = names_[place.name];
    if (const auto* truth = std::get_if<bool>(&node.constant)) {
      comparisons_.push_back({name, *truth});
    } else if (const auto* whole = std::get_if<int64_t>(&node.constant)) {
      comparisons_.push_back({name, *whole});
    } else if (const auto* number = std::get_if<double>(&node.constant)) {
      comparisons_.push_back({name, *number});
    } else if (const auto* text = std::get_if<std::string_view>(&node.constant)) {
      comparisons_.push_back({name, std::string(*text)});
    }
  }

  std::optional<std::string_view> Text(NodeId id) const {
    const Node& node = checked_.ast[id];
    if (node.kind != NodeKind::kLiteral) return std::nullopt;
    const auto* const text = std::get_if<std::string_view>(&node.constant);
    return text == nullptr ? std::nullopt : std::optional(*text);
  }

  Place Step(const Place& place, std::string_view key, bool is_test) {
    switch (place.depth) {
      case Depth::kNowhere: break;
      case Depth::kDevice:
        if (key == "attributes") return {Depth::kSection, DeviceSection::kAttributes, {}};
        if (key == "capacity") return {Depth::kSection, DeviceSection::kCapacity, {}};
        break;
      case Depth::kSection: return {Depth::kDomain, place.section, key};
      case Depth::kDomain: {
        DeviceName name{place.section, std::string(place.domain), std::string(key)};
        const auto known = std::ranges::find(names_, name);
        const auto at = static_cast<size_t>(known - names_.begin());
        if (is_test) tested_.push_back(name);
        if (known == names_.end()) names_.push_back(std::move(name));
        return {.depth = Depth::kName, .name = at};
      }
      case Depth::kName: break;
    }
    return {};
  }

  const CheckedAst& checked_;
  std::map<uint32_t, Place> locals_;  // by slot
  std::vector<DeviceName> names_;
  std::vector<DeviceName> tested_;
  std::vector<NamedComparison> comparisons_;
  const std::span<const NodeId> none_;
};

}  // namespace

std::string DeviceName::ToExpression() const {
  std::string out =
      section == DeviceSection::kAttributes ? "device.attributes[" : "device.capacity[";
  api::QuoteJson(domain, out);
  out += ']';
  if (IsIdentifier(id)) return out + "." + id;
  out += '[';
  api::QuoteJson(id, out);
  return out + "]";
}

std::vector<DeviceName> NamesIn(const CheckedAst& checked) {
  Reader reader(checked);
  reader.Run();
  return std::move(reader.names());
}

std::vector<DeviceName> TestedNamesIn(const CheckedAst& checked) {
  Reader reader(checked);
  reader.Run();
  return std::move(reader.tested());
}

std::vector<NamedComparison> ComparisonsIn(const CheckedAst& checked) {
  Reader reader(checked);
  reader.Run();
  return std::move(reader.comparisons());
}

std::vector<DeviceName> NamesOf(const Device& device) {
  std::vector<DeviceName> names;
  names.reserve(device.attributes.size() + device.capacity.size());
  const auto add = [&](DeviceSection section, std::string_view name) {
    const QualifiedValue parts = Qualify(name, device.driver, {});
    names.push_back({section, std::string(parts.domain), std::string(parts.id)});
  };
  for (const Attribute& attribute : device.attributes)
    add(DeviceSection::kAttributes, attribute.name);
  for (const Capacity& capacity : device.capacity) add(DeviceSection::kCapacity, capacity.name);
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);  // "id" and "driver/id"
  names.erase(repeated.begin(), repeated.end());
  return names;
}

}  // namespace dray::cel
