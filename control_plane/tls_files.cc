// SPDX-License-Identifier: Apache-2.0
#include "control_plane/tls_files.h"

#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace dray::control_plane {
namespace {

bool AreEqual(const net::tls::ServerOptions& a, const net::tls::ServerOptions& b) {
  return a.credentials.certificate_pem == b.credentials.certificate_pem &&
         a.credentials.key_pem == b.credentials.key_pem && a.client_ca_pem == b.client_ca_pem;
}

Result<std::string> ReadNamed(Disk& disk, std::string_view option, const std::string& file) {
  Result<std::string> pem = disk.Read(file);
  if (pem) return pem;
  return Fail(StatusReason::kBadRequest,
              fmt::format("{} {}: {}", option, file, pem.error().message));
}

}  // namespace

Result<> CheckTlsFiles(World& world, const TlsFileNames& names) {
  const Log silent = Log::Silent();
  return TlsFiles(world, silent, names, {}, net::tls::HttpVersions::kEither).Check();
}

TlsFiles::TlsFiles(World& world,
                   const Log& log,
                   TlsFileNames names,
                   ServerCredentials own,
                   net::tls::HttpVersions versions)
    : world_(world),
      log_(log),
      names_(std::move(names)),
      own_(std::move(own)),
      versions_(versions) {}

Result<net::tls::ServerOptions> TlsFiles::Read() const {
  net::tls::ServerOptions options{
      .credentials = own_.serving, .client_ca_pem = own_.ca.certificate_pem, .versions = versions_};
  if (names_.certificate.empty() != names_.key.empty()) {
    return Fail(StatusReason::kBadRequest,
                "--tls-cert-file and --tls-private-key-file belong together");
  }
  if (!names_.certificate.empty()) {
    DRAY_TRY(options.credentials.certificate_pem,
             ReadNamed(world_.disk, "--tls-cert-file", names_.certificate));
    DRAY_TRY(options.credentials.key_pem,
             ReadNamed(world_.disk, "--tls-private-key-file", names_.key));
  }
  if (!names_.client_ca.empty()) {
    DRAY_TRY(const std::string authorities,
             ReadNamed(world_.disk, "--client-ca-file", names_.client_ca));
    // Checked alone, because a file without certificates would be hidden by the server's own
    // authority.
    const auto found = net::tls::ReadCertificate(authorities);
    if (!found) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("--client-ca-file {}: {}", names_.client_ca, found.error().message));
    }
    options.client_ca_pem += "\n" + authorities;
  }
  return options;
}

Result<> TlsFiles::Check() const {
  DRAY_TRY(const net::tls::ServerOptions options, Read());
  if (names_.certificate.empty()) return {};
  const auto context = net::tls::ServerContext::Create(options);
  if (context) return {};
  return Fail(StatusReason::kBadRequest,
              fmt::format("--tls-cert-file {} and --tls-private-key-file {}: {}",
                          names_.certificate,
                          names_.key,
                          context.error().message));
}

Result<std::shared_ptr<net::tls::ServerContext>> TlsFiles::Load() {
  DRAY_TRY(tried_, Read());
  DRAY_TRY(context_, net::tls::ServerContext::Create(tried_));
  return context_;
}

void TlsFiles::Reload() {
  Result<net::tls::ServerOptions> read = Read();
  if (read && AreEqual(*read, tried_)) return;
  const Result<> replaced = read ? context_->Replace(*read) : Result<>(Fail(read.error()));
  if (read) tried_ = *std::move(read);
  if (replaced) {
    failure_.clear();
    log_.Info("TLS files have changed: new connections see them");
  } else if (std::exchange(failure_, replaced.error().message) != failure_) {
    log_.Warning("TLS files have changed and are not used", "error", failure_);
  }
}

void TlsFiles::Watch(net::Reactor& reactor) {
  if (!has_files()) return;
  reactor.Post([this, &reactor] {
    timer_ = reactor.RunAfter(kPeriod, [this, &reactor] {
      Reload();
      Watch(reactor);
    });
  });
}

std::string TlsFiles::TrustedByClients() const {
  const bool is_own = names_.certificate.empty();
  return is_own ? own_.ca.certificate_pem
                : own_.ca.certificate_pem + "\n" + tried_.credentials.certificate_pem;
}

}  // namespace dray::control_plane
