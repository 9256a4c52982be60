// SPDX-License-Identifier: Apache-2.0
// The table of kinds: a row for each kind with a strategy of its own.
#include <algorithm>
#include <array>
#include <span>

#include "api/core_v1/component_status.h"
#include "api/core_v1/event.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1alpha3.h"
#include "api/validation/cluster/event.h"
#include "api/validation/cluster/namespace.h"
#include "api/validation/devices/claim.h"
#include "api/validation/devices/classic.h"
#include "api/validation/devices/device_class.h"
#include "api/validation/devices/device_taint_rule.h"
#include "api/validation/devices/pool_status_request.h"
#include "api/validation/devices/resource_slice.h"
#include "api/validation/workloads/core.h"
#include "server/registry/core_kinds.h"
#include "server/registry/more_strategies.h"
#include "server/registry/resource_kinds.h"
#include "server/registry/rules_of.h"
#include "server/registry/strategy.h"

namespace dray::server::registry {
namespace {

namespace alpha2 = api::resource_v1alpha2;
namespace alpha3 = api::resource_v1alpha3;
namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
namespace validation = api::validation;
using api::TypeOf;

// ------------------------------------------------------------------------------------------- core

constexpr Strategy kNamespace = {
    .type = &TypeOf<core_v1::Namespace>,
    .status_metadata = StatusMetadata::kFree,
    .prepare_create = PrepareNewNamespace,
    .prepare_update = PrepareNamespace,
    .validate_create = Rule<core_v1::Namespace, validation::ValidateNamespace>,
    .validate_update = Rule<core_v1::Namespace, validation::ValidateNamespace>,
    .validate_status = Rule<core_v1::Namespace, validation::ValidateNamespaceStatus>,
    .validate_finalize = Rule<core_v1::Namespace, validation::ValidateNamespaceFinalize>,
    .has_finalizers = NamespaceHasFinalizers,
    .mark_deleted = TerminateNamespace};

// A kubelet registers its node with the status of the machine, and labels the node later.
constexpr Strategy kNode = {.type = &TypeOf<core_v1::Node>,
                            .status_on_create = true,
                            .status_metadata = StatusMetadata::kFree,
                            .validate_create = Rule<core_v1::Node, validation::ValidateNode>,
                            .validate_update = Rule<core_v1::Node, validation::ValidateNode>};

constexpr Strategy kPod = {
    .type = &TypeOf<core_v1::Pod>,
    .generation_in = {.first = 33},
    .status_metadata = StatusMetadata::kOwnersFromStore,
    .prepare_create = PrepareNewPod,
    .prepare_status = PreparePodStatus,
    .prepare_part = PreparePodPart,
    .validate_create = Rule<core_v1::Pod, validation::ValidatePod>,
    .validate_update = Rule<core_v1::Pod, validation::ValidatePodUpdate>,
    .validate_status = Rule<core_v1::Pod, validation::ValidatePodStatusUpdate>,
    .grace_seconds = PodGraceSeconds};

constexpr Strategy kComponentStatus = {.type = &TypeOf<core_v1::ComponentStatus>,
                                       .is_stored = false};

constexpr Strategy kEvent = {.type = &TypeOf<core_v1::Event>,
                             .dependents = DependentsByDefault::kUntouched,
                             .validate_create = Rule<core_v1::Event, validation::ValidateEvent>,
                             .validate_update = Rule<core_v1::Event, validation::ValidateEvent>};

// -------------------------------------------------------------------------------- resource.k8s.io

using resource_v1::DeviceClass;
using resource_v1::DeviceTaintRule;
using resource_v1::ResourceClaim;
using resource_v1::ResourceClaimTemplate;
using resource_v1::ResourceSlice;
using PoolRequest = alpha3::ResourcePoolStatusRequest;

constexpr Strategy kClaim = {
    .type = &TypeOf<ResourceClaim>,
    .prepare_status = PrepareClaimStatus,
    .validate_create = Rule<ResourceClaim, validation::ValidateClaim>,
    .validate_update = Rule<ResourceClaim, validation::ValidateClaimUpdate>,
    .validate_status = Rule<ResourceClaim, validation::ValidateClaimStatusUpdate>};

constexpr Strategy kClaimTemplate = {
    .type = &TypeOf<ResourceClaimTemplate>,
    .validate_create = Rule<ResourceClaimTemplate, validation::ValidateClaimTemplate>,
    .validate_update = Rule<ResourceClaimTemplate, validation::ValidateClaimTemplateUpdate>};

constexpr Strategy kDeviceClass = kAlwaysAsNew<DeviceClass, validation::ValidateDeviceClass>;

constexpr Strategy kSlice = {.type = &TypeOf<ResourceSlice>,
                             .validate_create = Rule<ResourceSlice, validation::ValidateSlice>,
                             .validate_update = Rule<ResourceSlice, validation::ValidateSlice>,
                             .warnings = SliceWarnings};

constexpr Strategy kTaintRule = {
    .type = &TypeOf<DeviceTaintRule>,
    .prepare_update = PrepareTaintRule,
    .validate_create = Rule<DeviceTaintRule, validation::ValidateTaintRule>,
    .validate_update = Rule<DeviceTaintRule, validation::ValidateTaintRule>,
    .validate_status = Rule<DeviceTaintRule, validation::ValidateTaintRuleStatus>};

constexpr Strategy kPoolRequest = {
    .type = &TypeOf<PoolRequest>,
    .validate_create = Rule<PoolRequest, validation::ValidatePoolRequest>,
    .validate_update = Rule<PoolRequest, validation::ValidatePoolRequestUpdate>,
    .validate_status = Rule<PoolRequest, validation::ValidatePoolRequestStatus>};

// --------------------------------------------------------- resource.k8s.io, the classic generation

constexpr Strategy kClassicClaim = {
    .type = &TypeOf<alpha2::ResourceClaim>,
    .validate_create = Rule<alpha2::ResourceClaim, validation::ValidateClassicClaim>,
    .validate_update = Rule<alpha2::ResourceClaim, validation::ValidateClassicClaimUpdate>,
    .validate_status = Rule<alpha2::ResourceClaim, validation::ValidateClassicClaimStatusUpdate>};

constexpr Strategy kClassicClaimTemplate = {
    .type = &TypeOf<alpha2::ResourceClaimTemplate>,
    .validate_create =
        Rule<alpha2::ResourceClaimTemplate, validation::ValidateClassicClaimTemplate>,
    .validate_update =
        Rule<alpha2::ResourceClaimTemplate, validation::ValidateClassicClaimTemplateUpdate>};

constexpr Strategy kResourceClass = {
    .type = &TypeOf<alpha2::ResourceClass>,
    .validate_create = Rule<alpha2::ResourceClass, validation::ValidateResourceClass>,
    .validate_update = Twice<alpha2::ResourceClass, validation::ValidateResourceClass>};

// Parameters may change in any way.
constexpr Strategy kClaimParameters =
    kAlwaysAsNew<alpha2::ResourceClaimParameters, validation::ValidateClaimParameters>;
constexpr Strategy kClassParameters =
    kAlwaysAsNew<alpha2::ResourceClassParameters, validation::ValidateClassParameters>;

constexpr Strategy kClassicSlice =
    kAlwaysAsNew<alpha2::ResourceSlice, validation::ValidateClassicSlice>;

using alpha2::PodSchedulingContext;
constexpr Strategy kSchedulingContext = {
    .type = &TypeOf<PodSchedulingContext>,
    .validate_create = Rule<PodSchedulingContext, validation::ValidateSchedulingContext>,
    .validate_update = Twice<PodSchedulingContext, validation::ValidateSchedulingContext>,
    .validate_status = Rule<PodSchedulingContext, validation::ValidateSchedulingContextStatus>};

constexpr std::array kStrategies = {kNamespace,
                                    kNode,
                                    kPod,
                                    kEvent,
                                    kClaim,
                                    kClaimTemplate,
                                    kDeviceClass,
                                    kSlice,
                                    kTaintRule,
                                    kPoolRequest,
                                    kClassicClaim,
                                    kClassicClaimTemplate,
                                    kResourceClass,
                                    kClaimParameters,
                                    kClassParameters,
                                    kClassicSlice,
                                    kSchedulingContext,
                                    kComponentStatus};

}  // namespace

const Strategy& StrategyOf(const api::KindInfo& kind) {
  static constexpr Strategy kLikeMost = {.status_metadata = StatusMetadata::kFree};
  const api::Type& type = kind.storage().type();
  for (const std::span<const Strategy> table : {std::span<const Strategy>(kStrategies),
                                                WorkloadStrategies(),
                                                ClusterStrategies(),
                                                DefinitionStrategies(),
                                                CustomStrategies()}) {
    const auto found = std::ranges::find_if(
        table, [&](const Strategy& strategy) { return &strategy.type() == &type; });
    if (found != table.end()) return *found;
  }
  return kLikeMost;
}

}  // namespace dray::server::registry
