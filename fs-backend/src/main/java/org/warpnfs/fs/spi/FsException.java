package org.warpnfs.fs.spi;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A file system's answer that is not success. It carries no stack trace, since it reports no defect of the server. */
public final class FsException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final Map<FsError, FsException> INSTANCES = new EnumMap<>(FsError.class);

    static {
        for (FsError error : FsError.values()) {
            INSTANCES.put(error, new FsException(error, error.name(), null));
        }
    }

    private final FsError error;
    /** Transient since records of changes are not serializable. */
    private final transient @Nullable AttributeChanges made;

    private FsException(FsError error, String message, @Nullable AttributeChanges made) {
        super(message, null, false, false);
        this.error = error;
        this.made = made;
    }

    public static FsException of(FsError error) {
        FsException instance = INSTANCES.get(error);
        return instance != null ? instance : new FsException(error, error.name(), null);
    }

    /** An answer with a message for the server's log. The message is never sent to a client. */
    public static FsException of(FsError error, String message) {
        return new FsException(error, error.name() + ": " + message, null);
    }

    public FsError error() {
        return error;
    }

    /** This answer of {@link FileSystem#setAttributes}, if it failed after these changes were made. */
    public FsException after(AttributeChanges changes) {
        return new FsException(error, String.valueOf(getMessage()), changes);
    }

    /** The attributes that were set before {@link FileSystem#setAttributes} failed. */
    public AttributeChanges made() {
        return made == null ? AttributeChanges.NONE : made;
    }
}
