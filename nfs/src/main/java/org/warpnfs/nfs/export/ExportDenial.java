package org.warpnfs.nfs.export;

/** Refusal of a call by an export. It carries no stack trace, since it reports no defect of the server. */
public final class ExportDenial extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Reason of the refusal. */
    public enum Reason {
        /** No rule applies to the client's host. */
        HOST,
        /** The call comes from a port that any user of the client's host can use. */
        PORT,
        /** The rule does not accept this kind of credential. */
        FLAVOR,
        /** The rule does not accept connections with so little protection. */
        PROTECTION,
        /** The rule does not accept calls by this transport. */
        TRANSPORT,
        /** A name service has not answered yet, so the caller is not known. The client has to repeat the call later. */
        PENDING
    }

    ExportDenial(Reason reason) {
        super(reason.name(), null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
