// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests: who asks is what the server knows; who decides and who signs write
// apart from each other.
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kPlural = "certificatesigningrequests";
constexpr std::string_view kSpec =
    R"("spec":{"request":"YQ==","signerName":"example.com/signer","usages":["client auth"],)"
    R"("username":"somebody else","uid":"1","groups":["system:masters"],"extra":{"k":["v"]}})";
constexpr std::string_view kRequester = R"("username":"jane","uid":"7","groups":["developers"])";
constexpr std::string_view kApproved = R"({"type":"Approved","status":"True","reason":"Because"})";

class SigningRequestTest : public testing::ServerTest {
 protected:
  ResourceRequest Of(Verb verb, std::string_view subresource, std::string body) {
    ResourceRequest request = Request(verb, kPlural, "", verb == Verb::kCreate ? "" : "a");
    request.subresource = subresource;
    request.body = std::move(body);
    request.user = User{.name = "jane", .uid = "7", .groups = {"developers"}};
    return request;
  }
  static std::string Whole(std::string_view rest) {
    return R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",)"
           R"("metadata":{"name":"a"},)" +
           std::string(rest) + "}";
  }
  std::string Put(std::string_view subresource, std::string_view status) {
    return Do(Of(Verb::kUpdate,
                 subresource,
                 Whole(std::string(kSpec) + R"(,"status":)" + std::string(status))));
  }
};

TEST_F(SigningRequestTest, AreOfWhoeverMakesThem) {
  const std::string made = Do(Of(Verb::kCreate, "", Whole(kSpec)));
  EXPECT_THAT(made, StartsWith("201 "));
  EXPECT_THAT(made, HasSubstr(kRequester));
  EXPECT_THAT(made, Not(HasSubstr(R"("extra")")));
  EXPECT_THAT(Put("", "{}"), HasSubstr(kRequester)) << "and stay so";
}

TEST_F(SigningRequestTest, AreOfWhoeverAppliesThem) {
  ResourceRequest apply = Of(Verb::kPatch, "", Whole(kSpec));
  apply.patch_type = patch::PatchType::kApply;
  apply.write.field_manager = "me";
  const std::string made = Do(std::move(apply));
  EXPECT_THAT(made, StartsWith("201 "));
  EXPECT_THAT(made, HasSubstr(kRequester));
}

TEST_F(SigningRequestTest, AreDecidedAndSignedApart) {
  Do(Of(Verb::kCreate, "", Whole(kSpec)));
  const std::string both =
      R"({"conditions":[)" + std::string(kApproved) + R"(],"certificate":"Yg=="})";
  const std::string approved = Put("approval", both);
  EXPECT_THAT(approved, HasSubstr(kApproved.substr(0, kApproved.size() - 1)));
  EXPECT_THAT(approved, Not(HasSubstr("Yg==")));
  const std::string is_signed = Put("status", R"({"certificate":"Yg=="})");
  EXPECT_THAT(is_signed, HasSubstr("Yg=="));
  EXPECT_THAT(is_signed, HasSubstr("Approved")) << "a signer does not take the decision back";
}

}  // namespace
}  // namespace dray::server::verbs
