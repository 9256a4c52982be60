// SPDX-License-Identifier: Apache-2.0
// Suppressions of sanitizers for programs that link gRPC. Compiled only for their presets.

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers' names

/// c-ares 1.18 loses the canonical name of a host it finds in /etc/hosts (ares__readaddrinfo): its
/// length in bytes, each time such a name is resolved.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:ares_strdup\n";
}

/// ThreadSanitizer cannot see how gRPC orders its threads, because Debian's gRPC is not
/// instrumented.
///
/// The libraries are suppressed because of their own uses of memory (memcpy, free). gRPC's headers,
/// compiled here, are suppressed because objects handed to its threads and back are ordered by
/// locks inside the library. That also hides races between gRPC's callbacks and other code. Without
/// this line, the only reports were about the hand-over itself.
extern "C" const char* __tsan_default_suppressions() {
  return "race:grpc::internal\n"
         "called_from_lib:libabsl_bad_optional_access.so\n"
         "called_from_lib:libabsl_bad_variant_access.so\n"
         "called_from_lib:libabsl_base.so\n"
         "called_from_lib:libabsl_city.so\n"
         "called_from_lib:libabsl_civil_time.so\n"
         "called_from_lib:libabsl_cord.so\n"
         "called_from_lib:libabsl_cord_internal.so\n"
         "called_from_lib:libabsl_cordz_functions.so\n"
         "called_from_lib:libabsl_cordz_handle.so\n"
         "called_from_lib:libabsl_cordz_info.so\n"
         "called_from_lib:libabsl_debugging_internal.so\n"
         "called_from_lib:libabsl_demangle_internal.so\n"
         "called_from_lib:libabsl_exponential_biased.so\n"
         "called_from_lib:libabsl_graphcycles_internal.so\n"
         "called_from_lib:libabsl_hash.so\n"
         "called_from_lib:libabsl_hashtablez_sampler.so\n"
         "called_from_lib:libabsl_int128.so\n"
         "called_from_lib:libabsl_log_severity.so\n"
         "called_from_lib:libabsl_low_level_hash.so\n"
         "called_from_lib:libabsl_malloc_internal.so\n"
         "called_from_lib:libabsl_random_distributions.so\n"
         "called_from_lib:libabsl_random_internal_platform.so\n"
         "called_from_lib:libabsl_random_internal_pool_urbg.so\n"
         "called_from_lib:libabsl_random_internal_randen.so\n"
         "called_from_lib:libabsl_random_internal_randen_hwaes.so\n"
         "called_from_lib:libabsl_random_internal_randen_hwaes_impl.so\n"
         "called_from_lib:libabsl_random_internal_randen_slow.so\n"
         "called_from_lib:libabsl_random_internal_seed_material.so\n"
         "called_from_lib:libabsl_random_seed_gen_exception.so\n"
         "called_from_lib:libabsl_random_seed_sequences.so\n"
         "called_from_lib:libabsl_raw_hash_set.so\n"
         "called_from_lib:libabsl_raw_logging_internal.so\n"
         "called_from_lib:libabsl_spinlock_wait.so\n"
         "called_from_lib:libabsl_stacktrace.so\n"
         "called_from_lib:libabsl_status.so\n"
         "called_from_lib:libabsl_statusor.so\n"
         "called_from_lib:libabsl_str_format_internal.so\n"
         "called_from_lib:libabsl_strerror.so\n"
         "called_from_lib:libabsl_strings.so\n"
         "called_from_lib:libabsl_strings_internal.so\n"
         "called_from_lib:libabsl_symbolize.so\n"
         "called_from_lib:libabsl_synchronization.so\n"
         "called_from_lib:libabsl_throw_delegate.so\n"
         "called_from_lib:libabsl_time.so\n"
         "called_from_lib:libabsl_time_zone.so\n"
         "called_from_lib:libaddress_sorting.so\n"
         "called_from_lib:libcares.so\n"
         "called_from_lib:libcrypto.so\n"
         "called_from_lib:libgpr.so\n"
         "called_from_lib:libgrpc++.so\n"
         "called_from_lib:libgrpc.so\n"
         "called_from_lib:libprotobuf-lite.so\n"
         "called_from_lib:libprotobuf.so\n"
         "called_from_lib:libssl.so\n"
         "called_from_lib:libupb.so\n";
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
