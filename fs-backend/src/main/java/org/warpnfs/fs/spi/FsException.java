package org.warpnfs.fs.spi;

import java.util.EnumMap;
import java.util.Map;

/** A file system's answer that is not success. It carries no stack trace, since it reports no defect of the server. */
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

    /** An answer with a message for the server's log. The message is never sent to a client. */
    public static FsException of(FsError error, String message) {
        return new FsException(error, error.name() + ": " + message);
    }

    public FsError error() {
        return error;
    }
}
