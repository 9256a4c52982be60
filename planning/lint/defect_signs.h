// SPDX-License-Identifier: Apache-2.0
// The signs in objects by which known defects are recognised (known_defects.h), by kind of object.
// A sign is absent for objects of other kinds.
#pragma once

#include <optional>

#include "api/object.h"
#include "planning/lint/defect_facts.h"

namespace dray::planning::inline lint::signs {

// In claims that wait for devices, and in templates.
std::optional<DefectEvidence> AllMeetsCounters(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> AllMeetsBadPool(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> AllMeetsSpreadPool(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> AllInList(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> RefusedCounters(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> AdminMeetsCounters(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> AdminWithCount(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> CapacityInOtherDomain(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> ManyDevices(const api::Object& object, DefectFacts& facts);

// In claims that have devices.
std::optional<DefectEvidence> DistinctInOneRequest(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> DeviceGivenTwice(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> DeviceVanished(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> TolerationsLost(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> StaleConsumers(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> OtherConsumers(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> ExtendedClaimLeft(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> ManyConsumers(const api::Object& object, DefectFacts& facts);

// In slices, classes and rules.
std::optional<DefectEvidence> SharedWithCounters(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> SharedWithoutCapacity(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> PoolNameOfTwoDrivers(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> SharingSwitchedOff(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> CountersBesideDevices(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> StepOfNothing(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> NameOfDevicePlugin(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> AnyTaintRule(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> RuleWithoutSelector(const api::Object& object, DefectFacts& facts);

// In pods.
std::optional<DefectEvidence> OldAndNewClaim(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> NotEvicted(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> ImplicitResource(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> SharedAndOwnClaim(const api::Object& object, DefectFacts& facts);
std::optional<DefectEvidence> ClaimsOfTwoDrivers(const api::Object& object, DefectFacts& facts);

}  // namespace dray::planning::inline lint::signs
