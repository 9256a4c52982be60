// SPDX-License-Identifier: Apache-2.0
// A patch of a status is applied only to the fields that it names; the result is that of a patch of
// the whole document.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::inline write {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class StatusPatchTest : public testing::ServerTest {
 protected:
  StatusPatchTest() {
    Post("pods", "default", R"({"metadata":{"name":"a","labels":{"k":"v"},"finalizers":["x/y"]},
        "spec":{"containers":[{"name":"c","image":"i","resources":{
        "requests":{"memory":"1024Mi"}}}]}})");
    Patch(
        "{\"status\":{\"phase\":\"Pending\",\"conditions\":["
        "{\"type\":\"Ready\",\"status\":\"False\"},{\"type\":\"Other\",\"status\":\"True\"}]}}",
        patch::PatchType::kMerge);
  }

  ResourceRequest PatchOf(std::string patch, patch::PatchType type) {
    ResourceRequest request = Request(Verb::kPatch, "pods", "default", "a");
    request.subresource = "status";
    request.patch_type = type;
    request.body = std::move(patch);
    return request;
  }
  std::string Patch(std::string patch, patch::PatchType type) {
    return Do(PatchOf(std::move(patch), type));
  }
  /// The answer and warnings of a dry run.
  std::string Requested(std::string patch, patch::PatchType type, FieldValidation validation) {
    ResourceRequest request = PatchOf(std::move(patch), type);
    request.write.dry_run = true;
    request.write.field_validation = validation;
    const std::string answer = Do(std::move(request));
    return fmt::format("{} warnings: {}", answer, fmt::join(warnings_, "; "));
  }
};

// The same patch with escapes in its names, so that only a parser finds the names.
std::string Escaped(std::string patch) {
  for (const auto& [name, escaped] :
       {std::pair<std::string_view, std::string_view>(R"("status")", R"("st\u0061tus")"),
        {R"("metadata")", R"("met\u0061data")"},
        {R"("spec")", R"("sp\u0065c")"},
        {R"("foo")", R"("f\u006fo")"}}) {
    for (size_t at = patch.find(name); at != std::string::npos; at = patch.find(name, at)) {
      patch.replace(at, name.size(), escaped);
    }
  }
  return patch;
}

constexpr std::string_view kPatches[] = {
    R"({"status":{"phase":"Running","podIP":"10.0.0.1"}})",
    R"({"status":{"phase":null}})",
    R"({"status":null})",
    R"({"status":{}})",
    R"({"status":{"phase":"Failed"},"status":{"phase":"Running"}})",
    R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
    R"({"status":{"conditions":[{"type":"Ready","$patch":"delete"}]}})",
    R"({"status":{"$patch":"replace","phase":"Running"}})",
    R"({"$patch":"replace","status":{"phase":"Running"}})",
    R"({"$retainKeys":["status"],"status":{"phase":"Running"}})",
    R"({"metadata":{"labels":{"k":null,"l":"w"}},"status":{"phase":"Running"}})",
    R"({"metadata":{"annotations":{"managed":"Fields"}},"status":{"phase":"Running"}})",
    R"({"metadata":{"managedFields":[{}]},"status":{"phase":"Running"}})",
    R"({"metadata":{"uid":"another"},"status":{"phase":"Running"}})",
    R"({"metadata":{"name":"another"},"status":{"phase":"Running"}})",
    R"({"metadata":{"resourceVersion":"1"},"status":{"phase":"Running"}})",
    R"({"metadata":null,"status":{"phase":"Running"}})",
    R"({"metadata":{"finalizers":[]},"status":{"phase":"Running"}})",
    R"({"spec":{"nodeName":"n"},"status":{"phase":"Running"}})",
    R"({"spec":null})",
    R"({"status":{"phase":7}})",
    R"({"status":{"bar":1,"phase":"Running"}})",
    R"({"status":{"startTime":"no time"}})",
    R"({"foo":1,"status":{"phase":"Running"}})",
    R"({"kind":"Pod","apiVersion":"v1","status":{"phase":"Running"}})",
    R"({"kind":"Node","status":{"phase":"Running"}})",
    R"({"status":{"phase":"Running"}} x)",
    R"({"status")",
    R"([{"status":1}])",
};

TEST_F(StatusPatchTest, IsTheSameAsOneOfTheWholeDocument) {
  for (const std::string_view text : kPatches) {
    const std::string patch(text);
    const std::string escaped = Escaped(patch);
    ASSERT_NE(escaped, patch);
    for (const auto type : {patch::PatchType::kMerge, patch::PatchType::kStrategicMerge}) {
      for (const auto validation :
           {FieldValidation::kIgnore, FieldValidation::kWarn, FieldValidation::kStrict}) {
        EXPECT_EQ(Requested(patch, type, validation), Requested(escaped, type, validation))
            << patch;
      }
    }
  }
}

TEST_F(StatusPatchTest, ChangesWhatItNamesAndLeavesTheRest) {
  const std::string patched =
      Patch(R"({"status":{"phase":"Running"}})", patch::PatchType::kStrategicMerge);
  EXPECT_THAT(patched, StartsWith("200 "));
  EXPECT_THAT(patched, HasSubstr(R"("labels":{"k":"v"})"));
  EXPECT_THAT(patched, HasSubstr(R"("requests":{"memory":"1Gi"})"));
  EXPECT_THAT(patched, HasSubstr(R"("phase":"Running","conditions":[{)"));
  EXPECT_THAT(patched, HasSubstr(R"("subresource":"status"})"));
}

}  // namespace
}  // namespace dray::server::verbs::inline write
