// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests: the server sets the requester; approvers and signers write through
// separate subresources.
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

// ------------------------------------------------------------------------- who speaks for signers

// CN=system:node:n1, O=system:nodes.
constexpr std::string_view kOfNode =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHdk1HTUNBUUF3TURFVk1CTUdBMVVFQ2d3TWMz"
    "bHpkR1Z0T201dlpHVnpNUmN3RlFZRFZRUUREQTV6ZVhOMApaVzA2Ym05a1pUcHVNVEFxTUFVR0F5dGxjQU1oQUt0"
    "azVhNVBpaTV1OGUwUFNYS3UvTTV5bGo3eFgyZkVxdkw5ClVSb0gwK2t4b0FBd0JRWURLMlZ3QTBFQVd2OThvclRJ"
    "NDVkTkhnUmRuTnR4Vm1WMUdxVmQ2dlg1aldGcWdKL0QKbVI5TU1Gd3JDbDJCdmxsKzlacWJPMit2V1BteXNkVmlQ"
    "UVNOMlM0VEJJODRDUT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
// CN=eve, O=dev, O=system:masters.
constexpr std::string_view kOfMasters =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHME1HZ0NBUUF3TlRFTU1Bb0dBMVVFQ2d3RFpH"
    "VjJNUmN3RlFZRFZRUUtEQTV6ZVhOMFpXMDZiV0Z6ZEdWeQpjekVNTUFvR0ExVUVBd3dEWlhabE1Db3dCUVlESzJW"
    "d0F5RUFoNzl1L3ZQeG5OTjVCY1JqRExocjlkY0xHVjdSCjZrSUdhZW5yOHZvR2V1eWdBREFGQmdNclpYQURRUUFV"
    "aE4vOUxUVlY3WEVpb0N2dUxCdWExS2ZDZmpPWXM4UUgKUVRXbFNCc3YrN1p1TTR5R2t2VHRPKy9LRUdEVVdhZ214"
    "MDRpS3ZNS2hYU1hHOW9rM3hBRAotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

const User kJane{.name = "jane", .uid = "7", .groups = {"system:authenticated"}};
const User kMaster{.name = "admin", .uid = "", .groups = {"system:masters"}};

class SignersTest : public testing::ServerTest {
 protected:
  SignersTest() : ServerTest(Options{.rbac = true}) {
    EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
  }
  std::string Make(std::string_view plural, std::string body, const User& user) {
    ResourceRequest request = Request(Verb::kCreate, plural, "", "");
    request.body = std::move(body);
    request.user = user;
    return Do(std::move(request));
  }
  std::string Ask(std::string_view name,
                  std::string_view signer,
                  std::string_view pem,
                  const User& user) {
    return Make(kPlural,
                R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"request":")" +
                    std::string(pem) + R"(","signerName":")" + std::string(signer) +
                    R"(","usages":["client auth"]}})",
                user);
  }
  std::string Change(std::string_view part, std::string body, const User& user) {
    ResourceRequest request = Request(Verb::kPatch, kPlural, "", "a");
    request.subresource = part;
    request.body = std::move(body);
    request.user = user;
    return Do(std::move(request));
  }
  void Give(std::string_view verb, std::string_view signer) {
    const std::string name(verb);
    Make("clusterroles",
         R"({"metadata":{"name":")" + name + R"("},"rules":[{"verbs":[")" + name +
             R"("],"apiGroups":["certificates.k8s.io"],"resources":["signers"],)"
             R"("resourceNames":[")" +
             std::string(signer) + R"("]}]})",
         kMaster);
    Make(
        "clusterrolebindings",
        R"({"metadata":{"name":")" + name +
            R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
            name +
            R"("},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"jane"}]})",
        kMaster);
  }
};

TEST_F(SignersTest, WhoApprovesAndSignsMaySpeakForTheSigner) {
  Ask("a", "example.com/signer", kOfNode, kMaster);
  const std::string approval = R"({"status":{"conditions":[)" + std::string(kApproved) + "]}}";
  const std::string certificate = R"({"status":{"certificate":"Yg=="}})";
  EXPECT_THAT(
      Change("approval", approval, kJane),
      HasSubstr(R"(user not permitted to approve requests with signerName "example.com/signer")"));
  EXPECT_THAT(
      Change("status", certificate, kJane),
      HasSubstr(R"(user not permitted to sign requests with signerName "example.com/signer")"));
  Give("approve", "example.com/signer");
  Give("sign", "example.com/*");
  EXPECT_THAT(Change("approval", approval, kJane), StartsWith("200 "));
  EXPECT_THAT(Change("status", certificate, kJane), Not(HasSubstr("not permitted")));
}

TEST_F(SignersTest, NobodyAsksForMasters) {
  constexpr std::string_view kClients = "kubernetes.io/kube-apiserver-client";
  EXPECT_THAT(Ask("a", kClients, kOfMasters, kMaster),
              HasSubstr("signer with system:masters group is not allowed"));
  EXPECT_THAT(Ask("a", "example.com/signer", kOfMasters, kMaster), StartsWith("201 "));
  EXPECT_THAT(Ask("b", kClients, "YQ==", kMaster),
              HasSubstr("failed to parse CSR: PEM block type must be CERTIFICATE REQUEST"));
}

TEST_F(SignersTest, ANodeAsksForItself) {
  constexpr std::string_view kServing = "kubernetes.io/kubelet-serving";
  const auto node = [](std::string_view name) {
    return User{.name = "system:node:" + std::string(name), .uid = "", .groups = {"system:nodes"}};
  };
  EXPECT_THAT(Ask("a", kServing, kOfNode, node("n2")),
              HasSubstr("can only create a node CSR with CN=system:node:n2"));
  EXPECT_THAT(Ask("a", kServing, "YQ==", node("n1")), HasSubstr("unable to parse csr: "));
  EXPECT_THAT(Ask("a", kServing, kOfNode, node("n1")), Not(HasSubstr("can only create")));
}

TEST_F(SignersTest, WhomToTrustSaysWhoMayAttest) {
  const std::string bundle =
      R"({"metadata":{"name":"example.com:signer:a"},"spec":{"signerName":"example.com/signer",)"
      R"("trustBundle":"x"}})";
  EXPECT_THAT(Make("clustertrustbundles", bundle, kJane), StartsWith("4"));
  Give("attest", "example.com/signer");
  EXPECT_THAT(Make("clustertrustbundles", bundle, kJane), Not(HasSubstr("not permitted")));
}

}  // namespace
}  // namespace dray::server::verbs
