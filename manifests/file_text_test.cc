// SPDX-License-Identifier: Apache-2.0
#include "manifests/file_text.h"

#include <string>

#include <gtest/gtest.h>

namespace dray::manifests {
namespace {

const api::KindInfo& KindOf(std::string_view version, std::string_view kind) {
  static const api::Scheme kScheme;
  return *kScheme.FindKind(version, kind);
}

constexpr const char* kTwo =
    "# first\n"
    "apiVersion: v1\n"
    "kind: ConfigMap\n"
    "metadata: {name: a}\n"
    "---\n"
    "apiVersion: resource.k8s.io/v1\n"
    "kind: ResourceClaim\n"
    "metadata: {name: a}\n"
    "spec:\n"
    "  devices:\n"
    "    requests:\n"
    "    - name: gpu\n"
    "      exactly: {deviceClassName: gpu, count: 2}  # gpu\n";

TEST(FileText, FindsFieldsInTheirDocument) {
  FileText text(kTwo);
  const ObjectPlace claim{.line = 6};
  EXPECT_EQ(text.LineOf(claim, "spec.devices.requests[0].name"), 12U);
  EXPECT_EQ(text.LineOf(claim, "spec.devices.requests[0].exactly.deviceClassName"), 13U);
  EXPECT_EQ(text.LineOf(claim, "spec.devices.requests[0].nothing"), 12U);
  EXPECT_EQ(text.LineOf({.line = 99}, "spec"), 99U);
}

TEST(FileText, ReplacesTheFirstWholeWordBehindTheName) {
  FileText text(kTwo);
  const ObjectPlace claim{.line = 6};
  const std::string field = "spec.devices.requests[0].exactly.deviceClassName";
  EXPECT_FALSE(text.Replace(claim, field, "gp", "x"));
  EXPECT_FALSE(text.Replace(claim, field, "tpu", "x"));
  EXPECT_TRUE(text.Replace(claim, field, "gpu", "gpu.example.com"));
  std::string want = kTwo;
  want.replace(want.find("deviceClassName: gpu"), 20, "deviceClassName: gpu.example.com");
  EXPECT_EQ(text.text(), want);
}

TEST(FileText, LeavesWhatCouldNotBeReadAfterwards) {
  FileText text(kTwo);
  EXPECT_FALSE(text.Replace({.line = 6}, "metadata.name", "a", "{"));
  EXPECT_EQ(text.text(), kTwo);
}

TEST(FileText, TakesDotsForPartsOfWordsThatHaveDots) {
  FileText text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a.b.c}\n");
  EXPECT_FALSE(text.Replace({}, "metadata.name", "a.b", "x"));
  EXPECT_TRUE(text.Replace({}, "metadata.name", "b", "x"));
  EXPECT_EQ(text.text(), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a.x.c}\n");
}

TEST(FileText, ChangesLinesUpToTheLimit) {
  const auto changes = [](size_t bytes) {
    std::string line = "metadata: {name: a}  #";
    line.append(bytes - line.size(), ' ');
    FileText text("apiVersion: v1\nkind: ConfigMap\n" + line + "\n");
    return text.Replace({}, "metadata.name", "a", "b");
  };
  EXPECT_TRUE(changes(FileText::kLineBytesMax));
  EXPECT_FALSE(changes(FileText::kLineBytesMax + 1));
}

struct TextConversion {
  const char* name;
  const char* from;
  const char* text;
  const char* want;  // null: no change
};

constexpr TextConversion kConversions[] = {
    {"TheVersionAlone",
     "resource.k8s.io/v1beta2",
     "apiVersion: resource.k8s.io/v1beta2 # old\n"
     "kind: ResourceClaim\n"
     "metadata: {name: a} # mine\n"
     "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}\n",
     "apiVersion: resource.k8s.io/v1 # old\n"
     "kind: ResourceClaim\n"
     "metadata: {name: a} # mine\n"
     "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}\n"},
    {"TheWholeDocument",
     "resource.k8s.io/v1beta1",
     "# licence\n"
     "apiVersion: resource.k8s.io/v1beta1\n"
     "kind: ResourceClaim\n"
     "metadata: {name: a}\n"
     "spec: {devices: {requests: [{name: r, deviceClassName: c}]}}\n",
     "# licence\n"
     "apiVersion: resource.k8s.io/v1\n"
     "kind: ResourceClaim\n"
     "metadata:\n"
     "  name: a\n"
     "spec:\n"
     "  devices:\n"
     "    requests:\n"
     "    - name: r\n"
     "      exactly:\n"
     "        deviceClassName: c\n"},
    {"NotWithCommentsInside",
     "resource.k8s.io/v1beta1",
     "apiVersion: resource.k8s.io/v1beta1\n"
     "kind: ResourceClaim\n"
     "metadata: {name: a}\n"
     "spec: {devices: {requests: [{name: r, deviceClassName: c}]}} # why\n",
     nullptr}};

TEST(FileText, ConvertsWhatKeepsItsComments) {
  for (const TextConversion& one : kConversions) {
    SCOPED_TRACE(one.name);
    FileText text(one.text);
    const bool is_done = text.Convert(
        {}, KindOf(one.from, "ResourceClaim"), KindOf("resource.k8s.io/v1", "ResourceClaim"));
    EXPECT_EQ(is_done, one.want != nullptr);
    EXPECT_EQ(text.text(), one.want == nullptr ? one.text : one.want);
  }
}

}  // namespace
}  // namespace dray::manifests
