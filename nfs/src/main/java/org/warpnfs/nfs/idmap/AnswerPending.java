package org.warpnfs.nfs.idmap;

/**
 * A name service has not answered in time or has failed. The client has to repeat the call later. It carries no stack
 * trace, since it reports no defect of the server.
 */
public final class AnswerPending extends Exception {
    private static final long serialVersionUID = 1L;

    AnswerPending() {
        super("a name service has not answered yet", null, false, false);
    }
}
