package org.warpnfs.server.metrics;

import static org.warpnfs.server.metrics.Metric.level;
import static org.warpnfs.server.metrics.Metric.total;

import java.util.List;

/** The metrics of RPCSEC_GSS. All are 0 without a keytab. */
final class GssMetrics {
    private GssMetrics() {}

    static List<Metric> metrics() {
        return List.of(
                level("gss_contexts", "gss_contexts", "Security contexts of Kerberos users"),
                total(
                        "gss_contexts_established",
                        "gss_context_established",
                        "Security contexts that Kerberos users have established"),
                total(
                        "gss_contexts_evicted",
                        "gss_context_evicted",
                        "Security contexts removed to make room for others"),
                total("gss_tokens_refused", "gss_token_refused", "Kerberos tokens from which no security context came"),
                total(
                        "gss_calls_denied",
                        "gss_call_denied",
                        "Calls denied because of their Kerberos credential or verifier; "
                                + "clients then make a new security context"),
                total(
                        "gss_calls_repeated",
                        "gss_call_repeated",
                        "Calls of Kerberos users dropped because their number was seen before, or is below the window"),
                total(
                        "gss_bodies_refused",
                        "gss_body_refused",
                        "Bodies of calls that could not be verified or decrypted"));
    }
}
