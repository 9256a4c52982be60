// SPDX-License-Identifier: Apache-2.0
// JSON patch (RFC 6902). Pointers are RFC 6901; as upstream, an index may count from the end (-1 is
// the last element) and the whole document can be replaced and tested, but not removed or moved.
#include "server/patch/json_patch.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/errors/errors.h"

namespace dray::server::patch {
namespace {

using api::JsonKind;

// All errors while a patch is carried out have the same text.
Failure Rejected() {
  return Fail(errors::WithoutSubject(
      StatusReason::kInvalid, "the server rejected our request due to an error in our request"));
}

struct Operation {
  std::string op, path, from;
  JsonTree* value = nullptr;  // null when absent; moved from by its user
};

Result<std::string> Text(const JsonTree& operation, std::string_view name) {
  const JsonTree* member = operation.members().Find(name);
  if (member == nullptr || member->is_null()) return std::string();
  if (member->is_string()) return member->text;
  return Fail(StatusReason::kBadRequest,
              fmt::format("error decoding patch: json: cannot unmarshal {} into Go struct field "
                          "jsonPatchOp.{} of type string",
                          GoJsonKind(*member),
                          name));
}

Result<Operation> ReadOperation(JsonTree& tree) {
  if (!tree.is_object() && !tree.is_null()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                            "handlers.jsonPatchOp",
                            GoJsonKind(tree)));
  }
  Operation operation;
  DRAY_TRY(operation.op, Text(tree, "op"));
  DRAY_TRY(operation.path, Text(tree, "path"));
  DRAY_TRY(operation.from, Text(tree, "from"));
  if (tree.is_object()) operation.value = tree.members().Find("value");
  return operation;
}

std::string Unescape(std::string_view token) {
  std::string text;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool escaped = token[i] == '~' && i + 1 < token.size();
    if (escaped && token[i + 1] == '0') {
      text += '~';
      ++i;
    } else if (escaped && token[i + 1] == '1') {
      text += '/';
      ++i;
    } else {
      text += token[i];
    }
  }
  return text;
}

std::optional<int64_t> Index(std::string_view token) {
  if (token.starts_with('+')) token.remove_prefix(1);
  int64_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return index;
}

// The position `token` names among `size` places; negative ones count from the end.
std::optional<size_t> Position(std::string_view token, size_t size) {
  const auto index = Index(token);
  if (!index) return std::nullopt;
  const auto places = static_cast<int64_t>(size);
  const int64_t position = *index < 0 ? *index + places : *index;
  if (position < 0 || position >= places) return std::nullopt;
  return static_cast<size_t>(position);
}

class Patcher {
 public:
  explicit Patcher(JsonTree& document) : document_(document) {}

  Result<> Apply(const Operation& operation) {
    if (operation.op == "add") return WithValue(operation, &Patcher::Add);
    if (operation.op == "replace") return WithValue(operation, &Patcher::Replace);
    if (operation.op == "test") return Test(operation);
    if (operation.op == "remove") {
      DRAY_TRY([[maybe_unused]] const JsonTree removed, Remove(operation.path));
      return {};
    }
    if (operation.op == "move") {
      DRAY_TRY(JsonTree moved, Remove(operation.from));
      return Add(operation.path, std::move(moved));
    }
    if (operation.op == "copy") return Copy(operation);
    return Rejected();
  }

 private:
  struct Place {
    JsonTree* parent = nullptr;  // null when the path leads nowhere
    std::string key;
    size_t depth = 0;  // of a value at this place
  };

  Place Find(std::string_view path) {
    Place place;
    if (!path.starts_with('/')) return place;
    JsonTree* at = &document_;
    path.remove_prefix(1);
    for (size_t depth = 1;; ++depth) {
      const size_t slash = path.find('/');
      std::string key = Unescape(path.substr(0, slash));
      if (slash == std::string_view::npos) {
        if (at->is_object() || at->is_array()) place = {at, std::move(key), depth};
        return place;
      }
      at = Child(*at, key);
      if (at == nullptr) return place;
      path.remove_prefix(slash + 1);
    }
  }

  static JsonTree* Child(JsonTree& parent, std::string_view key) {
    if (parent.is_object()) return parent.members().Find(key);
    if (!parent.is_array()) return nullptr;
    const auto position = Position(key, parent.elements().size());
    return position ? &parent.elements()[*position] : nullptr;
  }

  Result<> Charge(size_t work) {
    work_ += work;
    if (work_ > kPatchWorkMax) return Rejected();
    return {};
  }

  // A value may not make the document deeper than the writer and the decoder can go.
  Result<> CheckDepth(const Place& place, const JsonTree& value) {
    size_t visited = 0;
    const size_t depth = place.depth + DepthOf(value, visited);
    DRAY_TRY_VOID(Charge(visited));
    if (depth > kDepthMax) return Rejected();
    return {};
  }

  Result<> WithValue(const Operation& operation,
                     Result<> (Patcher::*apply)(std::string_view, JsonTree)) {
    JsonTree value;
    value.kind = JsonKind::kNull;
    if (operation.value != nullptr) value = std::move(*operation.value);
    return (this->*apply)(operation.path, std::move(value));
  }

  Result<> Add(std::string_view path, JsonTree value) {
    const Place place = Find(path);
    if (place.parent == nullptr) return Rejected();
    DRAY_TRY_VOID(CheckDepth(place, value));
    if (place.parent->is_object()) {
      place.parent->members().Set(place.key, std::move(value));
      return {};
    }
    auto& elements = place.parent->elements();
    if (place.key == "-") {
      elements.push_back(std::move(value));
      return {};
    }
    const auto position = Position(place.key, elements.size() + 1);
    if (!position) return Rejected();
    DRAY_TRY_VOID(Charge(elements.size() - *position));
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*position), std::move(value));
    return {};
  }

  Result<> Replace(std::string_view path, JsonTree value) {
    if (path.empty()) {
      if (!value.is_object() && !value.is_array()) return Rejected();
      document_ = std::move(value);
      return {};
    }
    const Place place = Find(path);
    if (place.parent == nullptr) return Rejected();
    DRAY_TRY_VOID(CheckDepth(place, value));
    JsonTree* old = Child(*place.parent, place.key);
    if (old == nullptr) return Rejected();
    *old = std::move(value);
    return {};
  }

  Result<JsonTree> Remove(std::string_view path) {
    const Place place = Find(path);
    if (place.parent == nullptr) return Rejected();
    if (place.parent->is_object()) {
      JsonTree taken = place.parent->members().Take(place.key);
      if (taken.kind == JsonKind::kInvalid) return Rejected();
      return taken;
    }
    auto& elements = place.parent->elements();
    const auto position = Position(place.key, elements.size());
    if (!position) return Rejected();
    DRAY_TRY_VOID(Charge(elements.size() - *position));
    JsonTree taken = std::move(elements[*position]);
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*position));
    return taken;
  }

  Result<> Copy(const Operation& operation) {
    const Place from = Find(operation.from);
    const JsonTree* source = from.parent == nullptr ? nullptr : Child(*from.parent, from.key);
    if (source == nullptr) return Rejected();
    std::string text;
    WriteJsonTree(*source, text);
    copied_bytes_ += text.size();
    if (copied_bytes_ > kCopiedBytesMax) return Rejected();
    JsonTree copy = *source;
    return Add(operation.path, std::move(copy));
  }

  Result<> Test(const Operation& operation) {
    const JsonTree* found = &document_;
    if (!operation.path.empty()) {
      const Place place = Find(operation.path);
      found = place.parent == nullptr ? nullptr : Child(*place.parent, place.key);
    }
    const bool wants_null = operation.value == nullptr || operation.value->is_null();
    if (found == nullptr) return Rejected();
    if (wants_null ? found->is_null() : EqualJson(*found, *operation.value)) return {};
    return Rejected();
  }

  JsonTree& document_;
  size_t work_ = 0;
  size_t copied_bytes_ = 0;
};

}  // namespace

Result<> ApplyJsonPatch(JsonTree patch, JsonTree& document) {
  if (!patch.is_array() && !patch.is_null()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                            "[]handlers.jsonPatchOp",
                            GoJsonKind(patch)));
  }
  std::vector<Operation> operations;
  const size_t count = std::as_const(patch).elements().size();
  operations.reserve(std::min(count, kOperationsMax));
  for (size_t i = 0; i < count; ++i) {
    DRAY_TRY(Operation operation, ReadOperation(patch.elements()[i]));
    if (count <= kOperationsMax) operations.push_back(std::move(operation));
  }
  if (count > kOperationsMax) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                fmt::format("Request entity too large: The allowed maximum operations in a JSON "
                            "patch is {}, got {}",
                            kOperationsMax,
                            count));
  }
  Patcher patcher(document);
  for (const Operation& operation : operations) DRAY_TRY_VOID(patcher.Apply(operation));
  return {};
}

}  // namespace dray::server::patch
