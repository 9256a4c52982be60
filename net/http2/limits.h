// SPDX-License-Identifier: Apache-2.0
// What one HTTP/2 connection may do, in one place. docs/design/http2.md says why these, and what
// follows when a peer goes past one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dray::net::http2 {

/// Streams open at once: of a connection that has shown a sender that is known, and before. Go's
/// clients open another connection when these are taken.
inline constexpr uint32_t kStreamsMax = 1000;
inline constexpr uint32_t kStrangerStreamsMax = 100;

/// The name or the value of one field, as it is on the wire: nghttp2's own limit, and so not ours
/// to choose (NGHTTP2_HD_MAX_NV).
inline constexpr size_t kFieldBytesMax = size_t{64} << 10;
/// What a field counts beside its name and value (RFC 9113 6.5.2).
inline constexpr size_t kFieldOverheadBytes = 32;
/// Past kHeadBytesMax (net/head_rules.h) fields are dropped and the request is answered 431; past
/// this multiple of it the connection ends: a few bytes on the wire can name a long field again and
/// again.
inline constexpr size_t kHeadBytesFactorMax = 2;
/// CONTINUATION frames of one head: enough for kHeadBytesMax in frames of the usual 16 KiB.
inline constexpr size_t kContinuationsMax = 66;
/// What a peer may send of one frame: the protocol's default and least.
inline constexpr uint32_t kFrameBytesMax = uint32_t{16} << 10;

/// Bytes that a peer may send ahead on one stream (upstream's), and on all.
inline constexpr uint32_t kStreamWindowBytes = uint32_t{256} << 10;
inline constexpr int32_t kConnectionWindowBytes = int32_t{4} << 20;

/// Streams that the peer may make end early at once (CVE-2023-44487: requests that are called off
/// as soon as they are sent, whatever the code says), and how many more with each tick. Resets that
/// its faults make us send count as well (CVE-2025-8671).
inline constexpr uint32_t kResetsMax = 1000;
inline constexpr uint32_t kResetsPerTick = 16;
/// Answers to PING and SETTINGS that wait to be sent; a peer that takes none of them loses the
/// connection. Settings of one frame.
inline constexpr size_t kAcksMax = 1000;
inline constexpr size_t kSettingsMax = 32;
/// Frames that wait to be sent; beyond it nothing is read until the peer takes some.
inline constexpr size_t kQueuedFramesMax = 4000;

/// Answers queued on all streams together; past it each stream may only have the smaller amount.
inline constexpr size_t kQueuedBytesMax = size_t{32} << 20;
inline constexpr size_t kCrowdedStreamBytesMax = size_t{64} << 10;

/// After an answer that came before the end of its request, the peer may stop sending by itself.
/// After so many ticks the stream is reset, at which some clients forget the answer.
inline constexpr uint64_t kLingerTicks = 2;

/// What a stream counts beside its bytes, where bytes of strangers are counted.
inline constexpr size_t kStreamBytes = 1024;

}  // namespace dray::net::http2
