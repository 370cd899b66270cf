package org.warpnfs.nfs.v4.state.callback;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that a client accepts in callbacks of a session (RFC 8881, sections 18.33 and 18.36).
 *
 * @param contexts of RPCSEC_GSS, in the order of preference
 * @param plain the one without keys that is preferred; null if there is none
 */
public record OfferedCredentials(List<CallbackCredential.Gss> contexts, CallbackCredential.@Nullable Plain plain) {
    /** SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRING and _EXPIRED (section 18.46.1). */
    private static final int EXPIRING = 0x0000_0002;

    private static final int EXPIRED = 0x0000_0004;

    /** How many contexts a back channel remembers. */
    public static final int MAX_CONTEXTS = 4;

    public OfferedCredentials {
        contexts = List.copyOf(contexts);
    }

    /** None: nothing can be called. */
    public static final OfferedCredentials NONE = new OfferedCredentials(List.of(), null);

    /** One credential without keys. */
    public static OfferedCredentials of(CallbackCredential.Plain plain) {
        return new OfferedCredentials(List.of(), plain);
    }

    public boolean isEmpty() {
        return contexts.isEmpty() && plain == null;
    }

    /**
     * The credential of the next call: a client that offers a context wants to know who calls, so a context that lives
     * comes first. A refusal has no verifier, and so may be anybody's. It does not make calls go without keys.
     *
     * @return null if all have ended, or one was refused and no other lives
     */
    public @Nullable CallbackCredential usable() {
        for (CallbackCredential.Gss gss : contexts) {
            if (gss.context().remainingNanos() > 0) {
                return gss;
            }
        }
        return contexts.stream().anyMatch(gss -> gss.context().isRefused()) ? null : plain;
    }

    /** What BACKCHANNEL_CTL leaves: its contexts are added, and its plain credential replaces another. */
    public OfferedCredentials joinedBy(OfferedCredentials newer) {
        List<CallbackCredential.Gss> all = new ArrayList<>(newer.contexts);
        for (CallbackCredential.Gss gss : contexts) {
            if (all.size() < MAX_CONTEXTS && gss.context().remainingNanos() > 0 && !isAmong(all, gss)) {
                all.add(gss);
            }
        }
        return new OfferedCredentials(all, newer.plain == null ? plain : newer.plain);
    }

    private static boolean isAmong(List<CallbackCredential.Gss> all, CallbackCredential.Gss gss) {
        return all.stream()
                .anyMatch(other ->
                        other.service() == gss.service() && other.handle().equals(gss.handle()));
    }

    /**
     * The bits of sr_status_flags about contexts.
     *
     * @param soonNanos a lease: contexts that end within it are about to expire
     */
    int statusFlags(long soonNanos) {
        if (contexts.isEmpty()) {
            return 0;
        }
        long longest = 0;
        for (CallbackCredential.Gss gss : contexts) {
            longest = Math.max(longest, gss.context().remainingNanos());
        }
        return longest <= 0 ? EXPIRED : longest <= soonNanos ? EXPIRING : 0;
    }
}
