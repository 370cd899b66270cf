package org.warpnfs.iwarp.qp;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/** What the two ends have settled on while connecting, as far as they have. {@link StreamStart} writes it. */
final class ConnectionTerms {
    private @Nullable ConnectionParameters parameters;
    private MpaAgreement.Framing framing = MpaAgreement.Framing.PLAIN;
    private Set<RdmaExtension> extensions = Set.of();

    /** What was agreed on; null as long as nothing is. */
    @Nullable
    ConnectionParameters parameters() {
        return parameters;
    }

    void agreed(ConnectionParameters all) {
        parameters = all;
    }

    /** How FPDUs look, as far as is known. */
    MpaAgreement.Framing framing() {
        return framing;
    }

    /** The startup frames say how FPDUs look. */
    void framed(MpaAgreement.Framing agreed) {
        framing = agreed;
    }

    /** What of RFC 7306 our own upper layer has switched on. */
    Set<RdmaExtension> extensions() {
        return extensions;
    }

    void extend(Set<RdmaExtension> switchedOn) {
        extensions = switchedOn;
    }
}
