// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json_tree.h"
#include "api/codec/protobuf_wire.h"
#include "server/documents/openapi_protobuf.h"

namespace dray::server::documents {
namespace {

using api::JsonTree;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kDepthMax = 100;

const JsonTree* At(const JsonTree* tree, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    if (tree != nullptr) tree = tree->members().Find(name);
  }
  return tree;
}

std::string Text(const JsonTree* tree) {
  std::string text;
  if (tree != nullptr) WriteJsonTree(*tree, text);
  return text;
}

class OpenApiTest : public ::testing::Test {
 protected:
  api::Scheme scheme_;
  OpenApi openapi_{scheme_, api::Release::kNewest};
};

// The parts that kubectl needs before it validates, patches or explains.
TEST_F(OpenApiTest, Version2SaysWhatThePatchOfEachKindTakes) {
  const Result<JsonTree> document = api::ParseJsonTree(openapi_.v2().json, kDepthMax);
  ASSERT_TRUE(document.has_value());
  const JsonTree* patch =
      At(&*document, {"paths", "/api/v1/namespaces/{namespace}/configmaps/{name}", "patch"});
  EXPECT_EQ(Text(At(patch, {"x-kubernetes-group-version-kind"})),
            R"({"group":"","version":"v1","kind":"ConfigMap"})");
  EXPECT_EQ(Text(At(patch, {"operationId"})), R"("patchCoreV1NamespacedConfigMap")");
  EXPECT_THAT(Text(At(patch, {"consumes"})),
              HasSubstr(R"("application/strategic-merge-patch+json")"));
  for (const char* name : {"dryRun", "fieldManager", "fieldValidation", "force"}) {
    EXPECT_THAT(Text(At(patch, {"parameters"})), HasSubstr(std::string("\"name\":\"") + name));
  }
  const JsonTree* definition = At(&*document, {"definitions", "io.k8s.api.core.v1.ConfigMap"});
  EXPECT_EQ(Text(At(definition, {"x-kubernetes-group-version-kind"})),
            R"([{"group":"","version":"v1","kind":"ConfigMap"}])");
  EXPECT_THAT(Text(At(definition, {"properties", "metadata", "$ref"})),
              HasSubstr("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
}

// Appends the names of references that lead nowhere.
void Dangling(const JsonTree& tree, const JsonTree& schemas, std::vector<std::string>& found) {
  for (const JsonTree& element : tree.elements()) Dangling(element, schemas, found);
  for (const auto& [name, value] : tree.members().All()) {
    Dangling(*value, schemas, found);
    if (name != "$ref" || !value->is_string()) continue;
    const std::string schema = value->text.substr(value->text.rfind('/') + 1);
    if (schemas.members().Find(schema) == nullptr) found.push_back(schema);
  }
}

TEST_F(OpenApiTest, EveryReferenceLeadsSomewhere) {
  std::vector<std::string> found;
  const Result<JsonTree> whole = api::ParseJsonTree(openapi_.v2().json, kDepthMax);
  ASSERT_TRUE(whole.has_value());
  Dangling(*whole, *At(&*whole, {"definitions"}), found);
  for (const char* path : {"api/v1", "apis/resource.k8s.io/v1", "apis/resource.k8s.io/v1beta1"}) {
    const Result<JsonTree> one = api::ParseJsonTree(openapi_.Find(path)->json, kDepthMax);
    ASSERT_TRUE(one.has_value());
    Dangling(*one, *At(&*one, {"components", "schemas"}), found);
  }
  EXPECT_THAT(found, IsEmpty());
}

TEST_F(OpenApiTest, Version3HasTheDefaultsOfFields) {
  const Result<JsonTree> document =
      api::ParseJsonTree(openapi_.Find("apis/apps/v1")->json, kDepthMax);
  ASSERT_TRUE(document.has_value());
  const auto of = [&](std::string_view schema, std::string_view field) {
    return Text(At(&*document, {"components", "schemas", schema, "properties", field, "default"}));
  };
  EXPECT_EQ(of("io.k8s.api.autoscaling.v1.ScaleSpec", "replicas"), "0");
  EXPECT_EQ(of("io.k8s.api.autoscaling.v1.ScaleStatus", "selector"), "");
}

// The fields of a message by number; of the same number the last.
std::map<uint32_t, std::string_view> Fields(std::string_view message) {
  std::map<uint32_t, std::string_view> fields;
  api::WireReader reader(message);
  while (!reader.AtEnd()) {
    const api::WireTag tag = reader.Tag();
    if (tag.type == api::WireType::kBytes) {
      fields[tag.number] = reader.Bytes();
    } else {
      reader.Skip(tag);
    }
  }
  EXPECT_FALSE(reader.failed());
  return fields;
}

std::string_view Inside(std::string_view message, std::initializer_list<uint32_t> path) {
  for (const uint32_t number : path) message = Fields(message)[number];
  return message;
}

// Numbers as in gnostic's OpenAPIv2.proto.
TEST(OpenApiProtobuf, PutsMembersWhereClientsReadThem) {
  const Result<std::string> message = OpenApiV2Protobuf(R"({"swagger":"2.0",
      "info":{"title":"T","version":"1.37"},
      "paths":{"/a":{"patch":{"operationId":"p","parameters":[
          {"name":"dryRun","in":"query","type":"string","uniqueItems":true}],
          "responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/A"}}},
          "x-kubernetes-action":"patch"}}},
      "definitions":{"A":{"type":"object","required":["a"],"properties":{"a":{"type":"array",
          "items":{"$ref":"#/definitions/B"}}},"x-kind":[{"kind":"A"}]}}})");
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(Inside(*message, {1}), "2.0");
  EXPECT_EQ(Inside(*message, {2, 2}), "1.37");
  EXPECT_EQ(Inside(*message, {8, 2, 1}), "/a");
  const std::string_view patch = Inside(*message, {8, 2, 2, 8});
  EXPECT_EQ(Inside(patch, {5}), "p");
  EXPECT_EQ(Inside(patch, {8, 1, 2, 3, 4}), "dryRun");
  EXPECT_EQ(Inside(patch, {8, 1, 2, 3, 6}), "string");
  EXPECT_EQ(Inside(patch, {9, 1, 1}), "200");
  EXPECT_EQ(Inside(patch, {9, 1, 2, 1, 1}), "OK");
  EXPECT_EQ(Inside(patch, {9, 1, 2, 1, 2, 1, 1}), "#/definitions/A");
  EXPECT_EQ(Inside(patch, {13, 1}), "x-kubernetes-action");
  EXPECT_EQ(Inside(patch, {13, 2, 2}), R"("patch")");
  EXPECT_EQ(Inside(*message, {9, 1, 1}), "A");
  const std::string_view schema = Inside(*message, {9, 1, 2});
  EXPECT_EQ(Inside(schema, {19}), "a");
  EXPECT_EQ(Inside(schema, {22, 1}), "object");
  EXPECT_EQ(Inside(schema, {25, 1, 1}), "a");
  EXPECT_EQ(Inside(schema, {25, 1, 2, 23, 1, 1}), "#/definitions/B");
  EXPECT_EQ(Inside(schema, {31, 2, 2}), R"([{"kind":"A"}])");
}

// Numbers as in gnostic's OpenAPIv3.proto; compared with the output of a kube-apiserver 1.37.
TEST(OpenApiProtobuf, PutsMembersOfVersion3WhereClientsReadThem) {
  const Result<std::string> message = OpenApiV3Protobuf(R"({"openapi":"3.0.0",
      "info":{"title":"T","version":"1.37"},
      "paths":{"/a":{"patch":{"operationId":"p","parameters":[
          {"name":"dryRun","in":"query","schema":{"type":"string","uniqueItems":true}}],
          "requestBody":{"required":true,"content":{"application/json":{
              "schema":{"$ref":"#/components/schemas/A"}}}},
          "responses":{"200":{"description":"OK","content":{"application/json":{
              "schema":{"$ref":"#/components/schemas/A"}}}}},
          "x-kubernetes-action":"patch"}}},
      "components":{"schemas":{"A":{"description":"D","type":"object","required":["a"],
          "properties":{"a":{"type":"array","items":{"$ref":"#/components/schemas/B"}},
                        "b":{"allOf":[{"$ref":"#/components/schemas/B"}]}},
          "x-kind":[{"kind":"A"}]}}}})");
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(Inside(*message, {1}), "3.0.0");
  EXPECT_EQ(Inside(*message, {2, 6}), "1.37");
  EXPECT_EQ(Inside(*message, {4, 1, 1}), "/a");
  const std::string_view patch = Inside(*message, {4, 1, 2, 10});
  EXPECT_EQ(Inside(patch, {5}), "p");
  EXPECT_EQ(Inside(patch, {6, 1, 1}), "dryRun");
  EXPECT_EQ(Inside(patch, {6, 1, 10, 1, 25}), "string");
  EXPECT_EQ(Inside(patch, {7, 1, 2, 1, 2, 1, 2, 1}), "#/components/schemas/A");
  EXPECT_EQ(Inside(patch, {8, 2, 1}), "200");
  EXPECT_EQ(Inside(patch, {8, 2, 2, 1, 1}), "OK");
  EXPECT_EQ(Inside(patch, {8, 2, 2, 1, 3, 1, 2, 1, 2, 1}), "#/components/schemas/A");
  EXPECT_EQ(Inside(patch, {13, 2, 2}), R"("patch")");
  EXPECT_EQ(Inside(*message, {5, 1, 1, 1}), "A");
  const std::string_view schema = Inside(*message, {5, 1, 1, 2, 1});
  EXPECT_EQ(Inside(schema, {34}), "D");
  EXPECT_EQ(Inside(schema, {25}), "object");
  EXPECT_EQ(Inside(schema, {23}), "a");
  EXPECT_EQ(Inside(schema, {31, 1, 1}), "b");
  EXPECT_EQ(Inside(schema, {31, 1, 2, 1, 26, 2, 1}), "#/components/schemas/B");
  EXPECT_EQ(Inside(schema, {36, 2, 2}), R"([{"kind":"A"}])");
}

// kubectl prints them first.
TEST_F(OpenApiTest, EveryStructSaysWhatItIs) {
  std::vector<std::string> silent;
  for (const char* path : {"api/v1", "apis/apps/v1", "apis/resource.k8s.io/v1"}) {
    const Result<JsonTree> document = api::ParseJsonTree(openapi_.Find(path)->json, kDepthMax);
    ASSERT_TRUE(document.has_value());
    for (const auto& [name, schema] : At(&*document, {"components", "schemas"})->members().All()) {
      if (Text(At(schema, {"description"})).size() <= 2) silent.emplace_back(name);
    }
  }
  EXPECT_THAT(silent, IsEmpty());
  const Result<JsonTree> core = api::ParseJsonTree(openapi_.Find("api/v1")->json, kDepthMax);
  EXPECT_EQ(Text(At(&*core, {"components", "schemas", "io.k8s.api.core.v1.Pod", "description"})),
            R"("Containers that are placed on a node together.")");
}

TEST_F(OpenApiTest, RootsHaveDocumentsToo) {
  for (const char* path : {"version", "api", "apis", "apis/apps", "apis/resource.k8s.io"}) {
    EXPECT_THAT(openapi_.index(), HasSubstr(std::string("\"") + path + "\":{")) << path;
    const OpenApi::Document* found = openapi_.Find(path);
    ASSERT_NE(found, nullptr) << path;
    const Result<JsonTree> document = api::ParseJsonTree(found->json, kDepthMax);
    ASSERT_TRUE(document.has_value());
    std::vector<std::string> dangling;
    Dangling(*document, *At(&*document, {"components", "schemas"}), dangling);
    EXPECT_THAT(dangling, IsEmpty());
  }
  EXPECT_THAT(openapi_.Find("apis/rbac.authorization.k8s.io")->json,
              HasSubstr(R"("operationId":"getRbacAuthorizationAPIGroup")"));
}

TEST(OpenApiProtobuf, RefusesWhatIsNoJson) {
  EXPECT_FALSE(OpenApiV2Protobuf("{").has_value());
  EXPECT_FALSE(OpenApiV3Protobuf("{").has_value());
}

}  // namespace
}  // namespace dray::server::documents
