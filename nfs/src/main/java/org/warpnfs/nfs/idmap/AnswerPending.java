package org.warpnfs.nfs.idmap;

/**
 * A name service has not answered in time, or could not: the call is to come again later. Carries no stack trace: it is
 * an answer to a client, not a defect.
 */
public final class AnswerPending extends Exception {
    private static final long serialVersionUID = 1L;

    AnswerPending() {
        super("a name service has not answered yet", null, false, false);
    }
}
