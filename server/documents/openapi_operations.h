// SPDX-License-Identifier: Apache-2.0
// The operations that an OpenAPI document lists for a kind: methods, parameters, media types,
// codes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace dray::server::documents {

/// The media types of objects.
inline constexpr std::array<std::string_view, 3> kObjectTypes = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};
inline constexpr std::array<std::string_view, 1> kAnyTypes = {"*/*"};

struct Parameter {
  std::string_view name, type;
};
using Parameters = std::span<const Parameter>;
using MediaTypes = std::span<const std::string_view>;

enum class Sent : uint8_t { kNothing, kObject, kPatch, kDeleteOptions };
enum class Answered : uint8_t { kObject, kList, kStatus, kEvents, kText };

inline constexpr std::array<std::string_view, 1> kOkCode = {"200"};

/// One operation on a path.
struct Operation {
  std::string_view method, action, id_verb, id_infix;
  Parameters parameters = {};
  MediaTypes request = {};  // empty: no body
  std::span<const std::string_view> codes = kOkCode;
  MediaTypes types = kObjectTypes;
  Sent sent = Sent::kNothing;
  Answered answered = Answered::kObject;
};

/// On collections: list, create, delete all.
std::span<const Operation> CollectionOperations();
/// On one object: read, replace, patch, delete.
std::span<const Operation> ItemOperations();
/// The one on an object that goes by `verb`: get, create, update, patch.
const Operation& OperationOf(std::string_view verb);
const Operation& LogOperation();
/// For paths that only older tools use.
const Operation& WatchOneOperation();
const Operation& WatchManyOperation();

/// The same as the server of custom kinds has it: without protobuf and strategic merges.
Operation OfCustomKind(Operation operation);

}  // namespace dray::server::documents
