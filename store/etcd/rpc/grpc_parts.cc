// SPDX-License-Identifier: Apache-2.0
// The parts of gRPC that a client of etcd needs. This list replaces gRPC's own, which also has load
// balancing for service meshes (xDS, RLS, grpclb, outlier detection): 2 MB of code that Dray never
// uses. If a part were missing, no channel would connect.
//
// The names are gRPC 1.51's, which no public header declares; cmake/grpc.cmake adds this file where
// archives of that version are linked, and nowhere else.

// NOLINTBEGIN(misc-use-internal-linkage): gRPC defines them, and calls the last.
namespace grpc_core {
class CoreConfiguration {
 public:
  class Builder;
};
}  // namespace grpc_core

namespace grpc_event_engine::experimental {
void RegisterEventEngineChannelArgPreconditioning(grpc_core::CoreConfiguration::Builder* builder);
}  // namespace grpc_event_engine::experimental

namespace grpc_core {

void BuildClientChannelConfiguration(CoreConfiguration::Builder* builder);
void RegisterAresDnsResolver(CoreConfiguration::Builder* builder);
void RegisterBuiltins(CoreConfiguration::Builder* builder);
void RegisterChannelIdleFilters(CoreConfiguration::Builder* builder);
void RegisterClientAuthorityFilter(CoreConfiguration::Builder* builder);
void RegisterDeadlineFilter(CoreConfiguration::Builder* builder);
void RegisterHttpFilters(CoreConfiguration::Builder* builder);
void RegisterMessageSizeFilter(CoreConfiguration::Builder* builder);
void RegisterNativeDnsResolver(CoreConfiguration::Builder* builder);
void RegisterPickFirstLbPolicy(CoreConfiguration::Builder* builder);
void RegisterResourceQuota(CoreConfiguration::Builder* builder);
void RegisterSecurityFilters(CoreConfiguration::Builder* builder);
void RegisterServiceConfigChannelArgFilter(CoreConfiguration::Builder* builder);
void RegisterSockaddrResolver(CoreConfiguration::Builder* builder);
void RegisterTCPConnectHandshaker(CoreConfiguration::Builder* builder);
void SecurityRegisterHandshakerFactories(CoreConfiguration::Builder* builder);

// Called by gRPC, once, before the first channel.
void BuildCoreConfiguration(CoreConfiguration::Builder* builder);

void BuildCoreConfiguration(CoreConfiguration::Builder* builder) {
  grpc_event_engine::experimental::RegisterEventEngineChannelArgPreconditioning(builder);
  BuildClientChannelConfiguration(builder);
  SecurityRegisterHandshakerFactories(builder);
  RegisterClientAuthorityFilter(builder);
  RegisterChannelIdleFilters(builder);
  RegisterPickFirstLbPolicy(builder);
  RegisterTCPConnectHandshaker(builder);
  RegisterServiceConfigChannelArgFilter(builder);
  RegisterResourceQuota(builder);
  RegisterAresDnsResolver(builder);
  RegisterNativeDnsResolver(builder);
  RegisterSockaddrResolver(builder);
  RegisterHttpFilters(builder);
  RegisterDeadlineFilter(builder);
  RegisterMessageSizeFilter(builder);
  RegisterSecurityFilters(builder);
  RegisterBuiltins(builder);
}

}  // namespace grpc_core
// NOLINTEND(misc-use-internal-linkage)
