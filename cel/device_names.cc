// SPDX-License-Identifier: Apache-2.0
#include "cel/device_names.h"

#include <algorithm>
#include <map>
#include <optional>
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
  enum class Depth : uint8_t { kNowhere, kDevice, kSection, kDomain };
  Depth depth = Depth::kNowhere;
  DeviceSection section = DeviceSection::kAttributes;
  std::string_view domain;
};

class Reader {
 public:
  explicit Reader(const CheckedAst& checked) : checked_(checked) {}

  std::vector<DeviceName> Run() && {
    Visit(checked_.ast.root);
    return std::move(names_);
  }

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
      case NodeKind::kHas: return Step(Visit(children[0]), node.name);
      case NodeKind::kIndex: {
        const Place place = Visit(children[0]);
        Visit(children[1]);
        const auto key = Text(children[1]);
        return key.has_value() ? Step(place, *key) : Place();
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
      if (key.has_value()) Step(places[1], *key);
    }
    // An optional leads where its value does.
    const bool is_same = node.is_member && (node.name == "orValue" || node.name == "value");
    return is_same ? places[0] : Place();
  }

  std::optional<std::string_view> Text(NodeId id) const {
    const Node& node = checked_.ast[id];
    if (node.kind != NodeKind::kLiteral) return std::nullopt;
    const auto* const text = std::get_if<std::string_view>(&node.constant);
    return text == nullptr ? std::nullopt : std::optional(*text);
  }

  Place Step(const Place& place, std::string_view key) {
    switch (place.depth) {
      case Depth::kNowhere: break;
      case Depth::kDevice:
        if (key == "attributes") return {Depth::kSection, DeviceSection::kAttributes, {}};
        if (key == "capacity") return {Depth::kSection, DeviceSection::kCapacity, {}};
        break;
      case Depth::kSection: return {Depth::kDomain, place.section, key};
      case Depth::kDomain: {
        DeviceName name{place.section, std::string(place.domain), std::string(key)};
        if (std::ranges::find(names_, name) == names_.end()) names_.push_back(std::move(name));
        break;
      }
    }
    return {};
  }

  const CheckedAst& checked_;
  std::map<uint32_t, Place> locals_;  // by slot
  std::vector<DeviceName> names_;
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
  return Reader(checked).Run();
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
