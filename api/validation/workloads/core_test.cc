// SPDX-License-Identifier: Apache-2.0
// The rules of core/v1: documents and their errors.
#include "api/validation/workloads/core.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"
#include "api/object.h"
#include "api/value/time.h"

namespace dray::api::validation::inline workloads {
namespace {

template <class T>
T Read(std::string_view json) {
  auto object = DecodeJson(Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << json;
  if (!object) return T();
  defaults::SetDefaults(*object, Time::FromUnixSeconds(0));
  return object->template As<T>();
}

std::vector<std::string> Lines(const std::vector<ErrorCause>& causes) {
  std::vector<std::string> lines;
  for (const ErrorCause& cause : causes) lines.push_back(cause.field + ": " + cause.message);
  return lines;
}

struct Case {
  std::string_view object;
  std::vector<std::string> want;
};

TEST(PodRules, NewPods) {
  const std::vector<Case> cases = {
      {R"({"spec":{"containers":[{"name":"c","image":"i"}]}})", {}},
      {R"({"spec":{}})", {"spec.containers: Required value"}},
      {R"({"spec":{"containers":[{"name":"c"},{"name":"c","image":"x",
          "resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}}}]}})",
       {"spec.containers[0].image: Required value",
        "spec.containers[1].resources.requests: Invalid value: \"2\": must be less than or equal "
        "to "
        "cpu limit of 1",
        "spec.containers[1].name: Duplicate value: \"c\""}},
      {R"({"spec":{"restartPolicy":"Sometimes","dnsPolicy":"X",
          "containers":[{"name":"c","image":"i"}]}})",
       {R"(spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never")",
        R"(spec.dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")"}},
      {R"({"spec":{"resourceClaims":[{"name":"gpu","resourceClaimName":"a"}],
          "containers":[{"name":"c","image":"i","resources":{"claims":[{"name":"other"}]}}]}})",
       {"spec.containers[0].resources.claims[0]: Not found: \"other\": must be one of the names in "
        "pod.spec.resourceClaims: gpu"}},
      {R"({"spec":{"resourceClaims":[{"name":"gpu"}],"containers":[{"name":"c","image":"i"}]}})",
       {R"(spec.resourceClaims[0]: Invalid value: {"Name":"gpu","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`)"}},
      {R"({"spec":{"volumes":[{"name":"a","emptyDir":{}},{"name":"v","projected":{"sources":[
          {"secret":{"name":"s"}},{"serviceAccountToken":{"path":"t"}}]}}],
          "containers":[{"name":"c","image":"i"}]}})",
       {"spec.volumes[1].projected.sources[1].serviceAccountToken: Forbidden: must not be "
        "specified when serviceAccountName is not set"}},
      {R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{
          "resourceClaims":[{"name":"gpu"}],"containers":[{"name":"c","image":"i"}]}})",
       {"[]: Forbidden: static pods do not support resource claims"}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Lines(ValidatePod(Read<core_v1::Pod>(one.object), {})), one.want) << one.object;
  }
}

TEST(PodRules, StatusesOfExtendedClaims) {
  constexpr std::string_view kPod =
      R"({"spec":{"nodeName":"n","containers":[{"name":"c","image":"i",
          "resources":{"limits":{"example.com/gpu":"1"}}}]},"status":%})";
  const auto pod = [&](std::string_view status) {
    std::string text(kPod);
    return Read<core_v1::Pod>(text.replace(text.find('%'), 1, status));
  };
  const std::vector<Case> cases = {
      {R"({"extendedResourceClaimStatus":{"resourceClaimName":"x","requestMappings":[
          {"containerName":"c","resourceName":"example.com/gpu","requestName":"r"}]}})",
       {}},
      {R"({"nominatedNodeName":"m","extendedResourceClaimStatus":{"requestMappings":[]}})",
       {"status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a "
        "node",
        "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request "
        "mapping is required",
        "status.extendedResourceClaimStatus.resourceClaimName: Required value"}},
      {R"({"extendedResourceClaimStatus":{"resourceClaimName":"x","requestMappings":[
          {"containerName":"d","resourceName":"example.com/gpu","requestName":"r"},
          {"containerName":"c","resourceName":"cpu","requestName":"r"},
          {"containerName":"c","resourceName":"cpu","requestName":"r"}]}})",
       {"status.extendedResourceClaimStatus.requestMappings[0].containerName: Invalid value: "
        "\"d\": must match the name of an entry in spec.initContainers.name or "
        "spec.containers.name",
        "status.extendedResourceClaimStatus.requestMappings[1].resourceName: Invalid value: "
        "\"cpu\": must match the extended resource name of an entry in "
        "spec.initContainers.resources.requests or spec.containers.resources.requests",
        "status.extendedResourceClaimStatus.requestMappings[2].resourceName: Invalid value: "
        "\"cpu\": must match the extended resource name of an entry in "
        "spec.initContainers.resources.requests or spec.containers.resources.requests",
        "status.extendedResourceClaimStatus.requestMappings[2].containerName: Duplicate value: "
        "\"c\"",
        "status.extendedResourceClaimStatus.requestMappings[2].resourceName: Duplicate value: "
        "\"cpu\"",
        "status.extendedResourceClaimStatus.requestMappings[2].requestName: Duplicate value: "
        "\"r\""}}};
  for (const Case& one : cases) {
    EXPECT_EQ(Lines(ValidatePodStatusUpdate(pod(one.object), pod("{}"), {})), one.want)
        << one.object;
  }
}

struct StatusCase {
  std::string_view old, object;
  std::vector<std::string> want;
  Release release = Release::kNewest;
};

TEST(PodRules, AStatusGoesOnFromTheOneBefore) {
  constexpr std::string_view kPod = R"({"spec":{"restartPolicy":"Never","initContainers":[
      {"name":"side","restartPolicy":"Always"}],"containers":[{"name":"c"},{"name":"again",
      "restartPolicy":"Never","restartPolicyRules":[
      {"action":"Restart","exitCodes":{"operator":"In","values":[7]}}]}]},"status":%})";
  const auto pod = [&](std::string_view status) {
    std::string text(kPod);
    return Read<core_v1::Pod>(text.replace(text.find('%'), 1, status));
  };
  const auto ended = [](std::string_view list, std::string_view name, int code) {
    return fmt::format(R"({{"{}":[{{"name":"{}","state":{{"terminated":{{"exitCode":{}}}}}}}]}})",
                       list,
                       name,
                       code);
  };
  const auto runs = [](std::string_view list, std::string_view name) {
    return fmt::format(R"({{"{}":[{{"name":"{}","state":{{"running":{{}}}}}}]}})", list, name);
  };
  const auto refusal = [](std::string_view list) {
    return fmt::format(
        "status.{}[0].state: Forbidden: may not be transitioned to non-terminated "
        "state",
        list);
  };
  constexpr std::string_view kMain = "containerStatuses";
  constexpr std::string_view kInit = "initContainerStatuses";
  struct Restart {
    std::string_view list, name;
    int code;
    bool may;
    Release release = Release::kNewest;
  };
  const Restart restarts[] = {{kMain, "c", 1, false},
                              {kMain, "again", 7, true},
                              {kMain, "again", 8, false},
                              {kInit, "side", 0, true},
                              {kMain, "gone", 0, false},
                              {"ephemeralContainerStatuses", "e", 0, false}};
  for (const Restart& one : restarts) {
    const auto found = ValidatePodStatusUpdate(pod(runs(one.list, one.name)),
                                               pod(ended(one.list, one.name, one.code)),
                                               {.release = one.release});
    EXPECT_EQ(Lines(found),
              one.may ? std::vector<std::string>() : std::vector<std::string>{refusal(one.list)})
        << one.list << ' ' << one.name << ' ' << one.code;
  }
  EXPECT_EQ(Lines(ValidatePodStatusUpdate(pod("{}"), pod(ended(kMain, "c", 0)), {})),
            std::vector<std::string>())
      << "a container may be left out";
  const StatusCase cases[] = {
      {R"({"qosClass":"Burstable"})",
       R"({"qosClass":"Guaranteed"})",
       {R"(status.qosClass: Invalid value: "Guaranteed": field is immutable)"}},
      {"{}",
       R"({"observedGeneration":-1,"conditions":[{"type":"a b","observedGeneration":-2}]})",
       {"status.conditions[0].observedGeneration: Invalid value: -2: must be a non-negative "
        "integer",
        "status.conditions[0].Type: Invalid value: \"a b\": name part must consist of alphanumeric "
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
        "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "status.observedGeneration: Invalid value: -1: must be a non-negative integer"}},
      {R"({"podIPs":[{"ip":"old"}]})",
       R"({"podIP":"old","podIPs":[{"ip":"old"},{"ip":"1.2.3"}]})",
       {"status.podIPs[1]: Invalid value: \"1.2.3\": must be a valid IP address, (e.g. 10.9.8.7 "
        "or 2001:db8::ffff)",
        R"(status.podIPs: Invalid value: [{"IP":"old"},{"IP":"1.2.3"}]: may specify no more than )"
        "one IP for each IP family"}},
      {"{}", R"({"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]})", {}},
      {"{}",
       R"({"hostIP":"10.0.0.2","hostIPs":[{"ip":"010.0.0.1"}]})",
       {R"(status.hostIPs[0].ip: Invalid value: "010.0.0.1": must be equal to `hostIP`)",
        R"(status.hostIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s)"}},
      {"{}", R"({"podIPs":[{"ip":"010.0.0.1"}]})", {}, Release::k1_35},
      {"{}",
       R"({"podIPs":[{"ip":"::ffff:1.2.3.4"}]})",
       {R"(status.podIPs[0]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 )"
        "address"}},
  };
  for (const StatusCase& one : cases) {
    EXPECT_EQ(
        Lines(ValidatePodStatusUpdate(pod(one.object), pod(one.old), {.release = one.release})),
        one.want)
        << one.object;
  }
}

struct InRelease {
  Release release;
  std::string_view object, want;
};

TEST(PodRules, ClaimsAreShownAsInTheRelease) {
  constexpr std::string_view kRule =
      "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
  constexpr std::string_view kNameOnly =
      R"({"spec":{"resourceClaims":[{"name":"gpu"}],"containers":[{"name":"c","image":"i"}]}})";
  const InRelease cases[] = {
      {Release::k1_30,
       R"({"spec":{"resourceClaims":[{"name":"gpu","source":{}}],"containers":[{"name":"c","image":"i"}]}})",
       "spec.resourceClaims[0].source: Invalid value: core.ClaimSource{ResourceClaimName:(*string)("
       "nil), ResourceClaimTemplateName:(*string)(nil)}: "},
      {Release::k1_32,
       kNameOnly,
       "spec.resourceClaims[0]: Invalid value: core.PodResourceClaim{Name:\"gpu\", "
       "ResourceClaimName:(*string)(nil), ResourceClaimTemplateName:(*string)(nil)}: "},
      {Release::k1_33,
       kNameOnly,
       "spec.resourceClaims[0]: Invalid value: {\"Name\":\"gpu\",\"ResourceClaimName\":null,"
       "\"ResourceClaimTemplateName\":null}: "}};
  for (const InRelease& one : cases) {
    const auto causes = ValidatePod(Read<core_v1::Pod>(one.object), Profile::Of(one.release));
    EXPECT_EQ(Lines(causes), std::vector<std::string>{std::string(one.want).append(kRule)});
  }
}

TEST(PodRules, OperatorsOfTolerationsAreThoseOfTheRelease) {
  constexpr std::string_view kPod = R"({"spec":{"tolerations":[{"key":"a","operator":"Gt",)"
                                    R"("value":"1"}],"containers":[{"name":"c","image":"i"}]}})";
  const auto answer = [&](Release release) {
    return Lines(ValidatePod(Read<core_v1::Pod>(kPod), Profile::Of(release)));
  };
  EXPECT_THAT(
      answer(Release::k1_34),
      ::testing::ElementsAre("spec.tolerations[0].operator: Unsupported value: \"Gt\": supported "
                             "values: \"Equal\", \"Exists\""));
  EXPECT_THAT(
      answer(Release::kNewest),
      ::testing::ElementsAre("spec.tolerations[0].operator: Unsupported value: \"Gt\": supported "
                             "values: \"Equal\", \"Exists\", \"Lt\", \"Gt\""));
}

struct Change {
  std::string_view old, object;
  std::string_view want_field;  // empty: accepted
};

TEST(PodRules, WhatMayChange) {
  constexpr std::string_view kPod = R"({"spec":{"containers":[{"name":"c","image":"i:1"}]}})";
  constexpr std::string_view kGated =
      R"({"spec":{"schedulingGates":[{"name":"a.b/c"}],"containers":[{"name":"c","image":"i:1"}]}})";
  const std::vector<Change> changes = {
      {kPod, R"({"spec":{"containers":[{"name":"c","image":"i:2"}]}})", ""},
      {kPod,
       R"({"spec":{"activeDeadlineSeconds":9,"containers":[{"name":"c","image":"i:1"}]}})",
       ""},
      {kPod,
       R"({"spec":{"tolerations":[{"key":"a"}],"containers":[{"name":"c","image":"i:1"}]}})",
       ""},
      {kPod, R"({"spec":{"containers":[{"name":"c","image":"i:1","command":["x"]}]}})", "spec"},
      {kPod, R"({"spec":{"nodeName":"n","containers":[{"name":"c","image":"i:1"}]}})", "spec"},
      {kGated, kPod, ""},
      {kPod, kGated, "spec.schedulingGates[0].name"},
      {kGated,
       R"({"spec":{"nodeSelector":{"a":"b"},"schedulingGates":[{"name":"a.b/c"}],
           "containers":[{"name":"c","image":"i:1"}]}})",
       ""},
      {kPod,
       R"({"spec":{"nodeSelector":{"a":"b"},"containers":[{"name":"c","image":"i:1"}]}})",
       "spec"},
  };
  for (const Change& change : changes) {
    const std::vector<ErrorCause> causes =
        ValidatePodUpdate(Read<core_v1::Pod>(change.object), Read<core_v1::Pod>(change.old), {});
    EXPECT_EQ(causes.empty() ? "" : causes.front().field, change.want_field) << change.object;
  }
}

TEST(NodeRules, TaintsAndProvider) {
  const auto plain = Read<core_v1::Node>(R"({"spec":{"providerID":"x://1"}})");
  EXPECT_EQ(
      Lines(
          ValidateNode(Read<core_v1::Node>(R"({"spec":{"taints":[{"key":"c","effect":"Never"}]}})"),
                       nullptr,
                       {})),
      std::vector<std::string>{
          R"(metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute")"});
  EXPECT_EQ(
      Lines(ValidateNode(Read<core_v1::Node>(R"({"spec":{"providerID":"x://2"}})"), &plain, {})),
      std::vector<std::string>{
          "spec.providerID: Invalid value: null: field cannot be modified once set"});
  EXPECT_EQ(Lines(ValidateNode(Read<core_v1::Node>("{}"), &plain, {})),
            std::vector<std::string>{
                "spec.providerID: Invalid value: null: field cannot be cleared once set"});
}

TEST(NodeRules, PodRangesStay) {
  constexpr std::string_view kRule =
      R"(spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid)";
  const auto old = Read<core_v1::Node>(R"({"spec":{"podCIDRs":["10.0.0.0/24","fd00::/64"]}})");
  const auto causes = [&](std::string_view json) {
    return Lines(ValidateNode(Read<core_v1::Node>(json), &old, {}));
  };
  using Causes = std::vector<std::string>;
  EXPECT_EQ(causes(R"({"spec":{"podCIDRs":["10.0.0.0/24","fd00::/64"]}})"), Causes());
  EXPECT_EQ(causes("{}"), Causes{std::string(kRule)});
  EXPECT_EQ(causes(R"({"spec":{"podCIDRs":["10.0.1.0/24","fd01::/64"]}})"),
            (Causes{std::string(kRule), std::string(kRule)}));
}

TEST(PodDefaults, AreThoseOfTheApiServer) {
  auto pod = Read<core_v1::Pod>(
      R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"image"}]}})");
  defaults::TolerateTroubles(pod);
  EXPECT_EQ(
      ToJson(Object::Of(pod)),
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[{"name":"c",)"
      R"("image":"image","resources":{},"terminationMessagePath":"/dev/termination-log",)"
      R"("terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always",)"
      R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},)"
      R"("schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready",)"
      R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
      R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",)"
      R"("tolerationSeconds":300}],"enableServiceLinks":true},"status":{}})");
}

TEST(PodDefaults, PullPolicyFollowsTheTag) {
  for (const auto& [image, want] :
       std::vector<std::pair<std::string, std::string>>{{"image", "Always"},
                                                        {"image:latest", "Always"},
                                                        {"registry:5000/image", "Always"},
                                                        {"registry:5000/image:2", "IfNotPresent"},
                                                        {"image@sha256:00", "IfNotPresent"}}) {
    core_v1::Pod pod;
    pod.spec.containers.emplace_back().image = image;
    defaults::SetPodDefaults(pod);
    EXPECT_EQ(pod.spec.containers[0].image_pull_policy, want) << image;
  }
}

}  // namespace
}  // namespace dray::api::validation::inline workloads
