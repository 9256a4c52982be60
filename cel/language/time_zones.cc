// SPDX-License-Identifier: Apache-2.0
#include "cel/language/time_zones.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace dray::cel::inline language {

TimeZones::TimeZones(ReadFile read)
    : read_(std::move(read)), known_(std::make_shared<const Zones>()) {}

Result<Frozen<TimeZone>> TimeZones::Find(std::string_view name) const {
  // The database does not change while a process runs. If two threads read a zone at once,
  // a later call may read it again.
  const Frozen<Zones> zones = known_.Load();
  if (const auto found = zones->find(name); found != zones->end()) return found->second;
  DRAY_TRY(const std::string file, read_(name));
  DRAY_TRY(TimeZone zone, TimeZone::FromFile(file));
  if (zones->size() >= kZonesMax) return std::make_shared<const TimeZone>(std::move(zone));
  auto more = std::make_shared<Zones>(*zones);
  auto shared = std::make_shared<const TimeZone>(std::move(zone));
  more->emplace(std::string(name), shared);
  known_.Store(std::move(more));
  return shared;
}

Result<Frozen<TimeZone>> FindTimeZone(const TimeZones* zones, std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return nullptr;
  if (name.contains("..") || name.starts_with('/') || name.starts_with('\\')) {
    return Fail(StatusReason::kInvalid, "time: invalid location name");
  }
  if (name.contains('\0')) return Fail(StatusReason::kInvalid, "invalid argument");
  if (zones == nullptr) {
    return Fail(StatusReason::kInvalid, fmt::format("unknown time zone {}", name));
  }
  return zones->Find(name);
}

}  // namespace dray::cel::inline language
