// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security/violations.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/pod.h"

namespace dray::server::pod_security {
namespace {

using api::core_v1::Pod;

std::string Found(Level level,
                  std::optional<uint32_t> minor,
                  std::string_view pod,
                  api::Release newest = api::Release::kNewest) {
  const auto object = api::DecodeJson(api::Reflected<Pod>::kKind, pod, nullptr);
  if (!object.has_value()) return object.error().message;
  const Pod& read = object->As<Pod>();
  return Details(ViolationsOf({.level = level, .minor = minor}, newest, read.metadata, read.spec));
}

// A pod whose one container has these members, after those of the pod's spec.
std::string Pod1(std::string_view container, std::string_view spec = "") {
  return fmt::format(R"({{"spec":{{{}"containers":[{{"name":"a"{}}}]}}}})", spec, container);
}

struct Row {
  std::string_view container;  // members behind the name
  std::string_view spec;       // members before the containers
  std::string_view want;
};

TEST(PodSecurityViolations, OfBaseline) {
  const Row rows[] = {
      {"", "", ""},
      {"",
       R"("hostNetwork":true,"hostIPC":true,)",
       "host namespaces (hostNetwork=true, hostIPC=true)"},
      {R"(,"ports":[{"containerPort":1,"hostPort":80},{"containerPort":2,"hostPort":8}])",
       "",
       R"(hostPort (container "a" uses hostPorts 8, 80))"},
      {R"(,"securityContext":{"privileged":true})",
       "",
       R"(privileged (container "a" must not set securityContext.privileged=true))"},
      {R"(,"securityContext":{"capabilities":{"add":["SYS_ADMIN","CHOWN","NET_RAW"]}})",
       "",
       R"(non-default capabilities (container "a" must not include "NET_RAW", "SYS_ADMIN" in )"
       "securityContext.capabilities.add)"},
      {"",
       R"("volumes":[{"name":"v","hostPath":{"path":"/"}},{"name":"w","emptyDir":{}}],)",
       R"(hostPath volumes (volume "v"))"},
      {R"(,"securityContext":{"procMount":"Unmasked"})",
       "",
       R"(procMount (container "a" must not set securityContext.procMount to "Unmasked"))"},
      {R"(,"securityContext":{"procMount":"Unmasked"})", R"("hostUsers":false,)", ""},
      {R"(,"securityContext":{"seLinuxOptions":{"type":"spc_t","user":"u"}})",
       R"("securityContext":{"seLinuxOptions":{"role":"r"}},)",
       R"(seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: )"
       R"(type "spc_t"; user may not be set; role may not be set))"},
      {R"(,"securityContext":{"seccompProfile":{"type":"Unconfined"}})",
       "",
       R"(seccompProfile (container "a" must not set securityContext.seccompProfile.type to )"
       R"("Unconfined"))"},
      {"",
       R"("securityContext":{"sysctls":[{"name":"x","value":"1"},)"
       R"({"name":"net.ipv4.tcp_notsent_lowat","value":"1"},{"name":"y","value":"1"}]},)",
       "forbidden sysctls (x, y)"},
      {"",
       R"("securityContext":{"windowsOptions":{"hostProcess":true}},)",
       "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)"},
      {R"(,"livenessProbe":{"httpGet":{"port":1,"host":"h"}},)"
       R"("lifecycle":{"preStop":{"tcpSocket":{"port":1,"host":"g"}}})",
       "",
       R"(probe or lifecycle host (container "a" uses probe or lifecycle hosts "g", "h"))"},
      {R"(,"securityContext":{"appArmorProfile":{"type":"Unconfined"}})",
       "",
       R"(forbidden AppArmor profile (container "a" must not set AppArmor profile type to )"
       R"("Unconfined"))"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Found(Level::kBaseline, std::nullopt, Pod1(row.container, row.spec)), row.want)
        << row.container << row.spec;
    EXPECT_EQ(Found(Level::kPrivileged, std::nullopt, Pod1(row.container, row.spec)), "");
  }
}

TEST(PodSecurityViolations, AnnotationsNameProfiles) {
  constexpr std::string_view kPod =
      R"({"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/a":"none",)"
      R"("container.apparmor.security.beta.kubernetes.io/b":"localhost/x",)"
      R"("seccomp.security.alpha.kubernetes.io/pod":"unconfined",)"
      R"("container.seccomp.security.alpha.kubernetes.io/a":"docker/default"}},)"
      R"("spec":{"containers":[{"name":"a"}]}})";
  constexpr std::string_view kAppArmor =
      R"(forbidden AppArmor profile (annotation must not set AppArmor profile type to )"
      R"("container.apparmor.security.beta.kubernetes.io/a="none""))";
  EXPECT_EQ(Found(Level::kBaseline, 19, kPod), kAppArmor);
  EXPECT_EQ(Found(Level::kBaseline, 18, kPod),
            std::string(kAppArmor) + R"(, seccompProfile (forbidden annotation )"
                                     R"(seccomp.security.alpha.kubernetes.io/pod="unconfined"))");
}

TEST(PodSecurityViolations, OfRestricted) {
  EXPECT_EQ(Found(Level::kRestricted, std::nullopt, Pod1("")),
            R"(allowPrivilegeEscalation != false (container "a" must set )"
            R"(securityContext.allowPrivilegeEscalation=false), unrestricted capabilities )"
            R"((container "a" must set securityContext.capabilities.drop=["ALL"]), )"
            R"(runAsNonRoot != true (pod or container "a" must set )"
            R"(securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set )"
            R"(securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"))");
  constexpr std::string_view kGood =
      R"(,"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"],)"
      R"("add":["NET_BIND_SERVICE"]}})";
  constexpr std::string_view kGoodPod =
      R"("securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},)";
  EXPECT_EQ(Found(Level::kRestricted, std::nullopt, Pod1(kGood, kGoodPod)), "");
  const Row rows[] = {
      {kGood,
       R"("securityContext":{"runAsNonRoot":false,"runAsUser":0,)"
       R"("seccompProfile":{"type":"Localhost"}},)",
       R"(runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), )"
       R"(runAsUser=0 (pod must not set runAsUser=0))"},
      {kGood,
       R"("hostUsers":false,"securityContext":{"runAsNonRoot":false,"runAsUser":0,)"
       R"("seccompProfile":{"type":"Localhost"}},)",
       ""},
      {"", R"("os":{"name":"windows"},"securityContext":{"runAsNonRoot":true},)", ""},
      {kGood,
       R"("securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"Localhost"}},)"
       R"("volumes":[{"name":"v","hostPath":{"path":"/"}},{"name":"w","nfs":{"server":"s",)"
       R"("path":"/"}},{"name":"x","configMap":{"name":"c"}},{"name":"y"}],)",
       R"(restricted volume types (volumes "v", "w", "y" use restricted volume types "hostPath", )"
       R"("nfs", "unknown"))"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Found(Level::kRestricted, std::nullopt, Pod1(row.container, row.spec)), row.want)
        << row.spec;
  }
}

TEST(PodSecurityViolations, ContainersOfAllSortsCount) {
  EXPECT_EQ(
      Found(Level::kBaseline,
            std::nullopt,
            R"({"spec":{"initContainers":[{"name":"i","securityContext":{"privileged":true}}],)"
            R"("containers":[{"name":"c","securityContext":{"privileged":false}}],)"
            R"("ephemeralContainers":[{"name":"e","securityContext":{"privileged":true}}]}})"),
      R"(privileged (containers "i", "e" must not set securityContext.privileged=true))");
}

TEST(PodSecurityViolations, AStandardIsThatOfItsRelease) {
  const auto sysctl = [](std::optional<uint32_t> minor, api::Release newest) {
    return Found(Level::kBaseline,
                 minor,
                 Pod1("",
                      R"("securityContext":{"sysctls":[{"name":"net.ipv4.tcp_rmem",)"
                      R"("value":"1"}]},)"),
                 newest);
  };
  constexpr std::string_view kForbidden = "forbidden sysctls (net.ipv4.tcp_rmem)";
  EXPECT_EQ(sysctl(32, api::Release::kNewest), "");
  EXPECT_EQ(sysctl(31, api::Release::kNewest), kForbidden);
  EXPECT_EQ(sysctl(std::nullopt, api::Release::kAny), "");
  EXPECT_EQ(sysctl(std::nullopt, api::Release::k1_31), kForbidden);
  EXPECT_EQ(sysctl(99, api::Release::k1_31), kForbidden);

  // In 1.0, only users and volumes were restricted.
  EXPECT_EQ(Found(Level::kRestricted, 0, Pod1("")),
            R"(runAsNonRoot != true (pod or container "a" must set )"
            "securityContext.runAsNonRoot=true)");
  EXPECT_EQ(
      Found(Level::kRestricted,
            21,
            Pod1(R"(,"securityContext":{"runAsNonRoot":true,"allowPrivilegeEscalation":false,)"
                 R"("seccompProfile":{"type":"Localhost"},"capabilities":{"add":["X"]}})")),
      R"(non-default capabilities (container "a" must not include "X" in )"
      "securityContext.capabilities.add)");
}

}  // namespace
}  // namespace dray::server::pod_security
