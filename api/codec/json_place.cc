// SPDX-License-Identifier: Apache-2.0
#include "api/codec/json_place.h"

#include <iterator>

#include <fmt/format.h>

#include "api/text/cut.h"

namespace dray::api::inline codec {
namespace {

void AppendPath(const JsonPlace* place, std::string& path) {
  if (place == nullptr) return;
  AppendPath(place->outer, path);
  if (place->name.data() == nullptr) {
    fmt::format_to(std::back_inserter(path), "[{}]", place->index);
    return;
  }
  if (!path.empty()) path += '.';
  path += Cut(place->name, kPlaceNameMax);
}

}  // namespace

std::string PathOf(const JsonPlace* place) {
  std::string path;
  AppendPath(place, path);
  return Cut(path, kPlacePathMax);
}

}  // namespace dray::api::inline codec
