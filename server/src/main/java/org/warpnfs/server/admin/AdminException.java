package org.warpnfs.server.admin;

/** A refused request. */
final class AdminException extends Exception {
    static final int BAD_REQUEST = 400;
    static final int NOT_FOUND = 404;
    static final int CONFLICT = 409;

    private static final long serialVersionUID = 1;

    private final int status;

    /**
     * @param status the HTTP status
     * @param reason one line of text
     */
    AdminException(int status, String reason) {
        super(reason);
        this.status = status;
    }

    int status() {
        return status;
    }
}
