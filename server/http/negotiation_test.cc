// SPDX-License-Identifier: Apache-2.0
#include "server/http/negotiation.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/status.h"

namespace dray::server::http {
namespace {

using documents::Transform;

std::string Words(const Result<documents::Form>& form) {
  if (!form) {
    const bool unknown = api::DetailsOf(form.error()) != nullptr;
    return unknown ? "406 unknown"
                   : "406 " + form.error().message.substr(form.error().message.find("accepted"));
  }
  std::string words;
  switch (form->encoding) {
    case documents::Encoding::kJson: words = "json"; break;
    case documents::Encoding::kYaml: words = "yaml"; break;
    case documents::Encoding::kProtobuf: words = "protobuf"; break;
  }
  switch (form->transform) {
    case Transform::kNone: break;
    case Transform::kTable: words += " table " + std::string(form->version); break;
    case Transform::kPartial: words += " partial"; break;
    case Transform::kPartialList: words += " partial list"; break;
    case Transform::kAggregated: words += " aggregated"; break;
  }
  const bool is_partial =
      form->transform == Transform::kPartial || form->transform == Transform::kPartialList;
  if (is_partial && form->version != "v1") words += " " + std::string(form->version);
  return words + (form->pretty ? " pretty" : "");
}

struct NegotiationCase {
  std::string_view accept;
  Endpoint endpoint;
  std::string_view expected;
};

constexpr std::string_view kServed =
    "406 accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";

constexpr NegotiationCase kNegotiationCases[] = {
    {"", Endpoint::kObject, "json"},
    {"*/*", Endpoint::kObject, "json"},
    {"application/json", Endpoint::kWatch, "json"},
    {"application/json, */*;q=0.8", Endpoint::kList, "json"},
    {"application/json;charset=utf-8", Endpoint::kList, "json"},
    {"application/yaml", Endpoint::kObject, "yaml"},
    {"application/json;q=0.1, application/yaml;q=0.9", Endpoint::kObject, "yaml"},
    {"text/html, application/*;q=0.5", Endpoint::kObject, "406 unknown"},
    {"text/html, */*;q=0.5", Endpoint::kObject, "json"},
    {"application/json;pretty=1", Endpoint::kObject, "json pretty"},
    {"application/xml", Endpoint::kObject, "406 unknown"},
    {"application/cbor", Endpoint::kObject, "406 unknown"},
    {"application/vnd.kubernetes.protobuf", Endpoint::kObject, "protobuf"},
    {"application/vnd.kubernetes.protobuf,application/json", Endpoint::kObject, "protobuf"},
    {"application/json;q=0.9, application/vnd.kubernetes.protobuf", Endpoint::kList, "protobuf"},
    {"application/cbor,application/vnd.kubernetes.protobuf,application/json",
     Endpoint::kList,
     "protobuf"},
    {"application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch",
     Endpoint::kWatch,
     "protobuf"},
    {"application/cbor-seq", Endpoint::kWatch, "406 unknown"},
    {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
     "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
     Endpoint::kObject,
     "protobuf partial"},
    {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
     Endpoint::kList,
     "json"},
    {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", Endpoint::kList, kServed},
    {"application/xml", Endpoint::kPlain, kServed},
    {"application/yaml",
     Endpoint::kWatch,
     "406 accepted: application/json;stream=watch, "
     "application/vnd.kubernetes.protobuf;stream=watch"},
    {"application/json;as=Table;v=v1;g=meta.k8s.io", Endpoint::kList, "json table v1"},
    {"application/json;as=Table;v=v1beta1;g=meta.k8s.io", Endpoint::kWatch, "json table v1beta1"},
    {"application/yaml;as=Table;v=v1;g=meta.k8s.io", Endpoint::kObject, "yaml table v1"},
    {"application/json;as=Table;v=v2;g=meta.k8s.io", Endpoint::kList, kServed},
    {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
     Endpoint::kSubresource,
     "json"},
    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
     Endpoint::kObject,
     "json partial"},
    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
     Endpoint::kObject,
     "json partial v1beta1"},
    {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v2", Endpoint::kList, kServed},
    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v2", Endpoint::kList, kServed},
    {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
     Endpoint::kList,
     "json partial list"},
    {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
     Endpoint::kWatch,
     "json partial"},
    {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
     Endpoint::kAggregated,
     "json aggregated"},
    {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer",
     Endpoint::kAggregated,
     "json aggregated"},
    {"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
     Endpoint::kAggregated,
     "json"},
    {"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
     Endpoint::kAggregatedOld,
     "json aggregated"},
    {"application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
     Endpoint::kAggregated,
     "protobuf aggregated"},
    {"application/vnd.kubernetes.protobuf", Endpoint::kPlain, "protobuf"},
    {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
     Endpoint::kPlain,
     kServed},
};

TEST(Negotiation, TakesTheFirstClauseThatCanBeServed) {
  for (const NegotiationCase& c : kNegotiationCases)
    EXPECT_EQ(Words(Negotiate(c.accept, c.endpoint)), c.expected) << c.accept;
}

TEST(Negotiation, LooksAtAsManyClausesAsTheLimit) {
  std::string accept;
  for (size_t i = 1; i < kAcceptClausesMax; ++i) accept += "a/b,";
  EXPECT_TRUE(Negotiate(accept + "application/json", Endpoint::kObject).has_value());
  EXPECT_FALSE(Negotiate("a/b," + accept + "application/json", Endpoint::kObject).has_value());
}

TEST(Negotiation, BrowsersAndCurlGetIndentedJson) {
  EXPECT_TRUE(WantsPretty(std::nullopt, "curl/8.0"));
  EXPECT_TRUE(WantsPretty(std::nullopt, "Mozilla/5.0 (X11)"));
  EXPECT_FALSE(WantsPretty(std::nullopt, "kubectl/v1.36"));
  EXPECT_TRUE(WantsPretty("1", "kubectl/v1.36"));
  EXPECT_FALSE(WantsPretty("0", "curl/8.0"));
  EXPECT_TRUE(WantsPretty("", "curl/8.0"));
}

TEST(Negotiation, BodiesAndPatchesByContentType) {
  EXPECT_EQ(*BodyFormatOf("application/json; charset=utf-8"), BodyFormat::kJson);
  EXPECT_EQ(*BodyFormatOf(""), BodyFormat::kJson);
  EXPECT_EQ(*BodyFormatOf("application/yaml"), BodyFormat::kYaml);
  EXPECT_EQ(*BodyFormatOf("Application/vnd.kubernetes.protobuf;stream=watch"),
            BodyFormat::kProtobuf);
  EXPECT_EQ(BodyFormatOf("application/cbor").error().message,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml, application/vnd.kubernetes.protobuf");
  EXPECT_EQ(BodyFormatOf("text/plain").error().reason, StatusReason::kUnsupportedMediaType);
  EXPECT_EQ(*PatchTypeOf("application/merge-patch+json;x=y"), patch::PatchType::kMerge);
  EXPECT_EQ(*PatchTypeOf("application/apply-patch+yaml"), patch::PatchType::kApply);
  EXPECT_EQ(PatchTypeOf("application/json").error().message, "415: Unsupported Media Type");
}

}  // namespace
}  // namespace dray::server::http
