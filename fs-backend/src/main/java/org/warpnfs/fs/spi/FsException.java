package org.warpnfs.fs.spi;

import java.util.EnumMap;
import java.util.Map;

/** An answer of the file system that is not success. Carries no stack trace: it is an answer, not a defect. */
public final class FsException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final Map<FsError, FsException> INSTANCES = new EnumMap<>(FsError.class);

    static {
        for (FsError error : FsError.values()) {
            INSTANCES.put(error, new FsException(error, error.name()));
        }
    }

    private final FsError error;

    private FsException(FsError error, String message) {
        super(message, null, false, false);
        this.error = error;
    }

    public static FsException of(FsError error) {
        FsException instance = INSTANCES.get(error);
        return instance != null ? instance : new FsException(error, error.name());
    }

    /** With words for the server's log; they do not reach a client. */
    public static FsException of(FsError error, String message) {
        return new FsException(error, error.name() + ": " + message);
    }

    public FsError error() {
        return error;
    }
}
