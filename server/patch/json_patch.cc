// SPDX-License-Identifier: Apache-2.0
// JSON patch (RFC 6902). Pointers are RFC 6901; as upstream, an index may count from the end (-1 is
// the last element) and the whole document can be replaced and tested, but not removed or moved.
#include "server/patch/json_patch.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/try.h"

namespace dray::server::patch {
namespace {

using api::JsonKind;

constexpr std::string_view kMissing = "missing value";
constexpr std::string_view kTestFailed = "test failed";

Failure Rejected(std::string why) {
  return Fail(StatusReason::kInvalid, std::move(why));
}

// The words of the library that upstream applies patches with; `what` is its error.
template <class... Args>
Failure Rejected(std::string_view what, fmt::format_string<Args...> format, Args&&... args) {
  return Rejected(fmt::format("{}: {}", fmt::format(format, std::forward<Args>(args)...), what));
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

// The position `token` names among `size` places; negative ones count from the end. Or what is
// wrong with it.
std::expected<size_t, std::string> Position(std::string_view token, size_t size) {
  const auto index = Index(token);
  if (!index) {
    return std::unexpected(
        fmt::format("strconv.Atoi: parsing {}: invalid syntax", api::GoQuote(token)));
  }
  const auto places = static_cast<int64_t>(size);
  const int64_t position = *index < 0 ? *index + places : *index;
  if (position < 0 || position >= places) {
    return std::unexpected(
        fmt::format("Unable to access invalid index: {}: invalid index referenced", *index));
  }
  return static_cast<size_t>(position);
}

class Patcher {
 public:
  explicit Patcher(JsonTree& document) : document_(document) {}

  Result<> Apply(const Operation& operation) {
    if (operation.op == "add") return WithValue(operation, &Patcher::Add);
    if (operation.op == "replace") return WithValue(operation, &Patcher::Replace);
    if (operation.op == "test") return Test(operation);
    if (operation.op == "remove") return Remove(operation.path);
    if (operation.op == "move") return Move(operation);
    if (operation.op == "copy") return Copy(operation);
    return Rejected(fmt::format("Unexpected kind: {}", operation.op));
  }

 private:
  struct Place {
    JsonTree* parent = nullptr;  // null if the path leads nowhere
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
      const auto child = Child(*at, key);
      if (!child.has_value()) return place;
      at = *child;
      path.remove_prefix(slash + 1);
    }
  }

  // The value there, or why there is none.
  static std::expected<JsonTree*, std::string> Child(JsonTree& parent, std::string_view key) {
    if (parent.is_object()) {
      JsonTree* const member = parent.members().Find(key);
      if (member != nullptr) return member;
      return std::unexpected(fmt::format("unable to get nonexistent key: {}: {}", key, kMissing));
    }
    if (!parent.is_array()) return std::unexpected(std::string(kMissing));
    const auto position = Position(key, parent.elements().size());
    if (!position.has_value()) return std::unexpected(position.error());
    return &parent.elements()[*position];
  }

  // The same for copy and test, to which a member that is not there is `absent`, which is null.
  static std::expected<JsonTree*, std::string> ChildOr(JsonTree& absent,
                                                       JsonTree& parent,
                                                       std::string_view key) {
    if (parent.is_object() && parent.members().Find(key) == nullptr) return &absent;
    return Child(parent, key);
  }

  Result<> Charge(size_t work) {
    work_ += work;
    if (work_ > kPatchWorkMax) return Rejected("the patch moves too many elements of lists");
    return {};
  }

  // A value must not make the document deeper than the writer and the decoder support.
  Result<> CheckDepth(const Place& place, const JsonTree& value) {
    size_t visited = 0;
    const size_t depth = place.depth + DepthOf(value, visited);
    DRAY_TRY_VOID(Charge(visited));
    if (depth > kDepthMax) {
      return Rejected(fmt::format("the patched object is deeper than {}", kDepthMax));
    }
    return {};
  }

  Result<> WithValue(const Operation& operation,
                     Result<> (Patcher::*apply)(const std::string&, JsonTree)) {
    JsonTree value;
    value.kind = JsonKind::kNull;
    if (operation.value != nullptr) value = std::move(*operation.value);
    return (this->*apply)(operation.path, std::move(value));
  }

  Result<> Add(const std::string& path, JsonTree value) {
    const Place place = Find(path);
    if (place.parent == nullptr) {
      return Rejected(kMissing, "add operation does not apply: doc is missing path: \"{}\"", path);
    }
    return AddAt(
        place, std::move(value), [&] { return fmt::format("error in add for path: '{}'", path); });
  }

  // `where` begins what is said of an index that is wrong.
  template <class Where>
  Result<> AddAt(const Place& place, JsonTree value, const Where& where) {
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
    if (!position.has_value()) return Rejected(position.error(), "{}", where());
    DRAY_TRY_VOID(Charge(elements.size() - *position));
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*position), std::move(value));
    return {};
  }

  Result<> Replace(const std::string& path, JsonTree value) {
    if (path.empty()) {
      if (!value.is_object() && !value.is_array()) {
        return Rejected("replace operation value must be object or array");
      }
      document_ = std::move(value);
      return {};
    }
    const Place place = Find(path);
    if (place.parent == nullptr) {
      return Rejected(kMissing, "replace operation does not apply: doc is missing path: {}", path);
    }
    DRAY_TRY_VOID(CheckDepth(place, value));
    // As upstream's library, which adds a member that is not there. RFC 6902 would refuse it.
    if (place.parent->is_object()) {
      place.parent->members().Set(place.key, std::move(value));
      return {};
    }
    const auto old = Child(*place.parent, place.key);
    if (!old.has_value()) {
      return Rejected(kMissing, "replace operation does not apply: doc is missing key: {}", path);
    }
    **old = std::move(value);
    return {};
  }

  Result<> Remove(const std::string& path) {
    const Place place = Find(path);
    if (place.parent == nullptr) {
      return Rejected(
          kMissing, "remove operation does not apply: doc is missing path: \"{}\"", path);
    }
    DRAY_TRY(auto taken, Take(place));
    if (taken.has_value()) return {};
    return Rejected(taken.error(), "error in remove for path: '{}'", path);
  }

  // A value, or why there is none.
  using Taken = std::expected<JsonTree, std::string>;

  Result<Taken> Take(const Place& place) {
    if (place.parent->is_object()) {
      JsonTree taken = place.parent->members().Take(place.key);
      if (taken.kind != JsonKind::kInvalid) return taken;
      return Taken(std::unexpected(
          fmt::format("Unable to remove nonexistent key: {}: {}", place.key, kMissing)));
    }
    auto& elements = place.parent->elements();
    const auto position = Position(place.key, elements.size());
    if (!position.has_value()) return Taken(std::unexpected(position.error()));
    DRAY_TRY_VOID(Charge(elements.size() - *position));
    JsonTree taken = std::move(elements[*position]);
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*position));
    return taken;
  }

  Result<> Move(const Operation& operation) {
    const Place from = Find(operation.from);
    if (from.parent == nullptr) {
      return Rejected(
          kMissing, "move operation does not apply: doc is missing from path: {}", operation.from);
    }
    DRAY_TRY(auto taken, Take(from));
    if (!taken.has_value()) {
      return Rejected(taken.error(), "error in move for path: '{}'", from.key);
    }
    const Place to = Find(operation.path);
    if (to.parent == nullptr) {
      return Rejected(kMissing,
                      "move operation does not apply: doc is missing destination path: {}",
                      operation.path);
    }
    return AddAt(to, *std::move(taken), [&] {
      return fmt::format("error in move for path: '{}'", operation.path);
    });
  }

  Result<> Copy(const Operation& operation) {
    const Place from = Find(operation.from);
    if (from.parent == nullptr) {
      return Rejected(
          kMissing, "copy operation does not apply: doc is missing from path: {}", operation.from);
    }
    JsonTree absent;
    absent.kind = JsonKind::kNull;
    const auto source = ChildOr(absent, *from.parent, from.key);
    if (!source.has_value()) {
      return Rejected(source.error(), "error in copy for from: '{}'", operation.from);
    }
    std::string text;
    WriteJsonTree(**source, text);
    copied_bytes_ += text.size();
    if (copied_bytes_ > kCopiedBytesMax) {
      return Rejected(fmt::format("the patch copies more than {} bytes", kCopiedBytesMax));
    }
    JsonTree copy = **source;
    const Place to = Find(operation.path);
    if (to.parent == nullptr) {
      return Rejected(kMissing,
                      "copy operation does not apply: doc is missing destination path: {}",
                      operation.path);
    }
    return AddAt(to, std::move(copy), [] { return "error while adding value during copy"; });
  }

  Result<> Test(const Operation& operation) {
    JsonTree absent;
    absent.kind = JsonKind::kNull;
    const JsonTree* found = &document_;
    if (!operation.path.empty()) {
      const Place place = Find(operation.path);
      if (place.parent == nullptr) {
        return Rejected(
            kMissing, "test operation does not apply: is missing path: {}", operation.path);
      }
      const auto child = ChildOr(absent, *place.parent, place.key);
      if (!child.has_value()) {
        return Rejected(child.error(), "error in test for path: '{}'", operation.path);
      }
      found = *child;
    }
    const bool wants_null = operation.value == nullptr || operation.value->is_null();
    if (wants_null ? found->is_null() : EqualJson(*found, *operation.value)) return {};
    return Rejected(kTestFailed, "testing value {} failed", operation.path);
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

bool IsTestFailure(const Error& error) {
  return error.message.starts_with("testing value ") && error.message.ends_with(kTestFailed);
}

}  // namespace dray::server::patch
