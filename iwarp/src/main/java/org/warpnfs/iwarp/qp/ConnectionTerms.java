package org.warpnfs.iwarp.qp;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/** What the two ends have agreed on while connecting, as far as the startup has come. {@link StreamStart} sets it. */
final class ConnectionTerms {
    private @Nullable ConnectionParameters parameters;
    private MpaAgreement.Framing framing = MpaAgreement.Framing.PLAIN;
    private Set<RdmaExtension> extensions = Set.of();

    /** The agreed parameters; null until there are any. */
    @Nullable
    ConnectionParameters parameters() {
        return parameters;
    }

    void agreed(ConnectionParameters all) {
        parameters = all;
    }

    /** The framing, as far as it is known. */
    MpaAgreement.Framing framing() {
        return framing;
    }

    /** Sets the framing that the startup frames determined. */
    void framed(MpaAgreement.Framing agreed) {
        framing = agreed;
    }

    /** The extensions of RFC 7306 that our own upper layer has switched on. */
    Set<RdmaExtension> extensions() {
        return extensions;
    }

    void extend(Set<RdmaExtension> switchedOn) {
        extensions = switchedOn;
    }
}
