// SPDX-License-Identifier: Apache-2.0
#include "cel/library/urls.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "cel/library/addresses.h"
#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

// The part of a URL that a text belongs to. Each part leaves other bytes unescaped.
enum class UrlPart : uint8_t { kPath, kHost, kZone, kUser, kQuery, kFragment };

// A query with more parameters counts as empty.
constexpr size_t kQueryParametersMax = 10'000;

constexpr bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool StandsAsItIs(char c, UrlPart part) {
  if (IsAlphanumeric(c) || std::string_view("-_.~").contains(c)) return true;
  switch (part) {
    case UrlPart::kPath: return std::string_view("$&+,/:;=@").contains(c);
    case UrlPart::kHost:
    case UrlPart::kZone: return std::string_view("!\"$&'()*+,:;<=>[]").contains(c);
    case UrlPart::kUser: return std::string_view("$&+,;=").contains(c);
    case UrlPart::kQuery: return false;
    case UrlPart::kFragment: return std::string_view("!$&()*+,/:;=?@").contains(c);
  }
  return false;
}

Failure RefuseUrl(std::string message) {
  return Fail(StatusReason::kInvalid, std::move(message));
}

// The byte that "%41" stands for. In hosts only bytes outside ASCII may be escaped, and the percent
// sign before a zone; in zones only what could stand there unescaped, and blanks.
Result<char> DecodeEscape(std::string_view rest, UrlPart part) {
  const bool whole = rest.size() >= 3 && HexValueAscii(rest[1]) >= 0 && HexValueAscii(rest[2]) >= 0;
  const auto refuse = [&] {
    return RefuseUrl(fmt::format("invalid URL escape {}", api::GoQuote(rest.substr(0, 3))));
  };
  if (!whole) return refuse();
  const auto byte = static_cast<char>(HexValueAscii(rest[1]) * 16 + HexValueAscii(rest[2]));
  if (rest.starts_with("%25")) return byte;
  if (part == UrlPart::kHost && HexValueAscii(rest[1]) < 8) return refuse();
  if (part == UrlPart::kZone && byte != ' ' && !StandsAsItIs(byte, UrlPart::kHost)) {
    return refuse();
  }
  return byte;
}

Result<std::string> Unescape(std::string_view text, UrlPart part) {
  const bool is_host = part == UrlPart::kHost || part == UrlPart::kZone;
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      DRAY_TRY(const char byte, DecodeEscape(text.substr(i), part));
      out += byte;
      i += 2;
      continue;
    }
    if (is_host && static_cast<unsigned char>(c) < 0x80 && !StandsAsItIs(c, part)) {
      return RefuseUrl(fmt::format("invalid character {} in host name",
                                   api::GoQuote(std::string_view(&text[i], 1))));
    }
    out += c == '+' && part == UrlPart::kQuery ? ' ' : c;
  }
  return out;
}

std::string Escape(std::string_view text, UrlPart part) {
  std::string out;
  for (const char c : text) {
    if (StandsAsItIs(c, part)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// A path or fragment is written back as it was given if it was escaped correctly, otherwise it is
// escaped again from `decoded`.
std::string Reescape(std::string_view given, std::string_view decoded, UrlPart part) {
  const bool is_good = std::ranges::all_of(given, [part](char c) {
    return StandsAsItIs(c, part) || std::string_view("!$&'()*+,;=:@[]%").contains(c);
  });
  return is_good ? std::string(given) : Escape(decoded, part);
}

bool IsOptionalPort(std::string_view text) {
  return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), [](char c) {
                            return c >= '0' && c <= '9';
                          }));
}

Failure BadPort(std::string_view port) {
  return RefuseUrl(fmt::format("invalid port {} after host", api::GoQuote(port)));
}

// "[address%25zone]:port". `close` is where the last bracket is.
Result<std::string> ReadBracketed(std::string_view text, size_t close) {
  const std::string_view port = text.substr(close + 1);
  if (!IsOptionalPort(port)) return BadPort(port);
  const std::string_view name = text.substr(1, close - 1);
  const size_t zone = std::min(name.find("%25"), name.size());
  DRAY_TRY(std::string decoded, Unescape(name.substr(0, zone), UrlPart::kHost));
  DRAY_TRY(const std::string decoded_zone, Unescape(name.substr(zone), UrlPart::kZone));
  decoded += decoded_zone;
  DRAY_TRY_VOID(CheckIpLiteral(decoded));
  return fmt::format("[{}]{}", decoded, port);
}

Result<std::string> ReadHost(std::string_view text) {
  const size_t open = text.rfind('[');
  if (open != std::string_view::npos) {
    if (open > 0) return RefuseUrl("invalid IP-literal");
    const size_t close = text.rfind(']');
    if (close == std::string_view::npos) return RefuseUrl("missing ']' in host");
    return ReadBracketed(text, close);
  }
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !IsOptionalPort(text.substr(colon))) {
    return BadPort(text.substr(colon));
  }
  return Unescape(text, UrlPart::kHost);
}

// "name:password", escaped anew.
Result<std::string> ReadUser(std::string_view text) {
  const bool is_good = std::ranges::all_of(text, [](char c) {
    return IsAlphanumeric(c) || std::string_view("-._:~!$&'()*+,;=%@").contains(c);
  });
  if (!is_good) return RefuseUrl("net/url: invalid userinfo");
  const size_t colon = text.find(':');
  DRAY_TRY(const std::string name, Unescape(text.substr(0, colon), UrlPart::kUser));
  std::string out = Escape(name, UrlPart::kUser);
  if (colon == std::string_view::npos) return out;
  DRAY_TRY(const std::string password, Unescape(text.substr(colon + 1), UrlPart::kUser));
  return out + ':' + Escape(password, UrlPart::kUser);
}

// A request URI has no fragment and must be absolute.
enum class Reading : uint8_t { kRequest, kReference };

struct Parsed {
  std::string scheme;
  std::string opaque;
  std::optional<std::string> user;
  std::string host;
  std::string path;          // decoded
  std::string escaped_path;  // as EscapedPath gives it
  std::string query;
  bool has_empty_query = false;  // "?" at the end
  bool has_authority = false;
};

// Splits off "scheme:"; empty if there is no scheme.
Result<std::string_view> TakeScheme(std::string_view& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') {
      if (i == 0) return RefuseUrl("missing protocol scheme");
      const std::string_view scheme = text.substr(0, i);
      text.remove_prefix(i + 1);
      return scheme;
    }
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool may_follow = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!is_letter && (i == 0 || !may_follow)) break;
  }
  return std::string_view();
}

void TakeQuery(std::string_view& rest, Parsed& out) {
  const size_t mark = rest.find('?');
  if (mark == std::string_view::npos) return;
  out.has_empty_query = mark + 1 == rest.size();
  out.query = rest.substr(mark + 1);
  rest = rest.substr(0, mark);
}

Result<> TakeAuthority(std::string_view& rest, Parsed& out) {
  rest.remove_prefix(2);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  rest.remove_prefix(authority.size());
  out.has_authority = true;
  const size_t at = authority.rfind('@');
  const bool has_user = at != std::string_view::npos;
  DRAY_TRY(out.host, ReadHost(has_user ? authority.substr(at + 1) : authority));
  if (has_user) {
    DRAY_TRY(out.user, ReadUser(authority.substr(0, at)));
  }
  return {};
}

Result<Parsed> Read(std::string_view text, Reading reading) {
  const bool is_request = reading == Reading::kRequest;
  const bool has_control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  if (has_control) return RefuseUrl("net/url: invalid control character in URL");
  if (text.empty() && is_request) return RefuseUrl("empty url");
  Parsed out;
  if (text == "*") {
    out.path = out.escaped_path = "*";
    return out;
  }
  std::string_view rest = text;
  DRAY_TRY(out.scheme, TakeScheme(rest));
  std::ranges::transform(out.scheme, out.scheme.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  TakeQuery(rest, out);
  if (!rest.starts_with('/')) {
    if (!out.scheme.empty()) {
      out.opaque = rest;
      return out;
    }
    if (is_request) return RefuseUrl("invalid URI for request");
    if (rest.substr(0, rest.find('/')).contains(':')) {
      return RefuseUrl("first path segment in URL cannot contain colon");
    }
  }
  const bool may_have_authority = !out.scheme.empty() || (!is_request && !rest.starts_with("///"));
  if (may_have_authority && rest.starts_with("//")) DRAY_TRY_VOID(TakeAuthority(rest, out));
  DRAY_TRY(out.path, Unescape(rest, UrlPart::kPath));
  out.escaped_path = Reescape(rest, out.path, UrlPart::kPath);
  return out;
}

std::string Write(const Parsed& url, std::string_view fragment) {
  std::string out;
  if (!url.scheme.empty()) out += url.scheme + ':';
  if (!url.opaque.empty()) {
    out += url.opaque;
  } else {
    const bool has_host = !url.host.empty() || url.user.has_value();
    if (has_host || (url.has_authority && !url.scheme.empty() && !url.path.empty())) out += "//";
    if (url.user.has_value()) out += *url.user + '@';
    out += Escape(url.host, UrlPart::kHost);
    const std::string& path = url.escaped_path;
    if (!path.empty() && path[0] != '/' && !url.host.empty()) out += '/';
    if (out.empty() && path.substr(0, path.find('/')).contains(':')) out += "./";
    out += path;
  }
  if (url.has_empty_query || !url.query.empty()) out += '?' + url.query;
  if (!fragment.empty()) out += '#' + std::string(fragment);
  return out;
}

Failure NotUrl(std::string_view text, const Error& error) {
  return RefuseUrl(fmt::format("parse {}: {}", api::GoQuote(text), error.message));
}

struct WithFragment {
  Parsed parsed;
  std::string_view given;  // the fragment as it was written
  std::string fragment;    // decoded
};

Result<WithFragment> ReadReference(std::string_view text) {
  const std::string_view body = text.substr(0, text.find('#'));
  auto url = Read(body, Reading::kReference);
  if (!url.has_value()) return NotUrl(body, url.error());
  WithFragment out{.parsed = *std::move(url), .given = {}, .fragment = {}};
  if (body.size() == text.size()) return out;
  out.given = text.substr(body.size() + 1);
  auto decoded = Unescape(out.given, UrlPart::kFragment);
  if (!decoded.has_value()) return NotUrl(text, decoded.error());
  out.fragment = *std::move(decoded);
  return out;
}

UrlReference ReferenceOf(Parsed url, std::string fragment) {
  return {.scheme = std::move(url.scheme),
          .user = std::move(url.user),
          .host = std::move(url.host),
          .query = std::move(url.query),
          .fragment = std::move(fragment)};
}

// --- functions

// Besides reading it.
constexpr uint64_t kWorkOfUrl = 200;

Value Url(Arena& arena, Arguments arguments) {
  arena.work().Charge(kWorkOfUrl + WorkOfReading(32 * arguments[0].text().size()));
  const auto parts = ParseUrl(arguments[0].text());
  if (!parts.has_value()) {
    return MakeError(
        arena,
        fmt::format("URL parse error during conversion from string: {}", parts.error().message));
  }
  return Value::Url(arena.Keep(cel::Url{.text = arena.Copy(parts->text),
                                        .scheme = arena.Copy(parts->scheme),
                                        .host = arena.Copy(parts->host),
                                        .path = arena.Copy(parts->path),
                                        .query = arena.Copy(parts->query)}));
}

Value IsUrl(Arena& arena, Arguments arguments) {
  arena.work().Charge(kWorkOfUrl + WorkOfReading(16 * arguments[0].text().size()));
  return Value::Bool(CheckRequestUri(arguments[0].text()).has_value());
}

template <std::string_view cel::Url::* member>
Value Get(Arena& /*arena*/, Arguments arguments) {
  return Value::String(arguments[0].url().*member);
}

struct HostAndPort {
  std::string_view host;
  std::string_view port;
};

HostAndPort SplitHost(std::string_view text) {
  HostAndPort out{.host = text, .port = {}};
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && IsOptionalPort(text.substr(colon))) {
    out = {.host = text.substr(0, colon), .port = text.substr(colon + 1)};
  }
  if (out.host.starts_with('[') && out.host.ends_with(']') && out.host.size() > 1) {
    out.host = out.host.substr(1, out.host.size() - 2);
  }
  return out;
}

Value GetHostname(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfReading(arguments[0].url().host.size()));
  return Value::String(SplitHost(arguments[0].url().host).host);
}

Value GetPort(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfReading(arguments[0].url().host.size()));
  return Value::String(SplitHost(arguments[0].url().host).port);
}

// Parameters that cannot be decoded, or contain a semicolon, are left out.
Value GetQuery(Arena& arena, Arguments arguments) {
  std::string_view query = arguments[0].url().query;
  arena.work().Charge(WorkOfReading(16 * query.size()));
  std::map<std::string, std::vector<Value>> parameters;
  if (static_cast<size_t>(std::ranges::count(query, '&')) >= kQueryParametersMax) query = {};
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(parameter.size() + 1, query.size()));
    if (parameter.empty() || parameter.contains(';')) continue;
    const size_t equals = std::min(parameter.find('='), parameter.size());
    auto name = Unescape(parameter.substr(0, equals), UrlPart::kQuery);
    const auto value =
        Unescape(parameter.substr(std::min(equals + 1, parameter.size())), UrlPart::kQuery);
    if (!name.has_value() || !value.has_value()) continue;
    arena.work().Charge(kWorkOfUrl);
    parameters[*std::move(name)].push_back(Value::String(arena.Copy(*value)));
  }
  std::vector<MapEntry> entries;
  entries.reserve(parameters.size());
  for (const auto& [name, values] : parameters) {
    entries.push_back({.key = Value::String(arena.Copy(name)), .value = MakeList(arena, values)});
  }
  return MakeMap(arena, entries);
}

constexpr auto kUrlsBuiltins = std::to_array<Builtin>({
    {"getEscapedPath", Get<&cel::Url::path>},
    {"getHost", Get<&cel::Url::host>},
    {"getHostname", GetHostname},
    {"getPort", GetPort},
    {"getQuery", GetQuery},
    {"getScheme", Get<&cel::Url::scheme>},
    {"isURL", IsUrl},
    {"url", Url, CostRule::kTenth, WrongTypes::kSignature, {}, kSince32},
});

}  // namespace

Result<> CheckRequestUri(std::string_view text) {
  const auto read = Read(text, Reading::kRequest);
  if (!read.has_value()) return NotUrl(text, read.error());
  return {};
}

// Upstream checks the text as a request and then reads it again with its fragment.
Result<UrlParts> ParseUrl(std::string_view text) {
  DRAY_TRY_VOID(CheckRequestUri(text));
  DRAY_TRY(WithFragment url, ReadReference(text));
  UrlParts parts;
  parts.text = Write(url.parsed, Reescape(url.given, url.fragment, UrlPart::kFragment));
  parts.scheme = std::move(url.parsed.scheme);
  parts.host = std::move(url.parsed.host);
  parts.path = std::move(url.parsed.escaped_path);
  parts.query = std::move(url.parsed.query);
  return parts;
}

Result<UrlReference> ParseUrlReference(std::string_view text) {
  DRAY_TRY(WithFragment url, ReadReference(text));
  return ReferenceOf(std::move(url.parsed), std::move(url.fragment));
}

Result<UrlReference> ParseRequestUri(std::string_view text) {
  auto read = Read(text, Reading::kRequest);
  if (!read.has_value()) return NotUrl(text, read.error());
  return ReferenceOf(*std::move(read), {});
}

std::span<const Builtin> UrlBuiltins() {
  return kUrlsBuiltins;
}

}  // namespace dray::cel::library
