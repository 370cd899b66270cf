package org.warpnfs.nfs.export;

/** An export does not take a call. Carries no stack trace: it is an answer to a client, not a defect. */
public final class ExportDenial extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why. */
    public enum Reason {
        /** No rule is for the client's host. */
        HOST,
        /** The call comes from a port that any user of the client's host can have. */
        PORT,
        /** The rule takes other credentials. */
        FLAVOR,
        /** Who calls is not known yet, since a name service has not answered: the call is to come again later. */
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
