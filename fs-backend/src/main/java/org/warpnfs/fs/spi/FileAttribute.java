package org.warpnfs.fs.spi;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * An attribute that a medium may have to fetch, so that callers of the SPI say which ones they need. Those of
 * {@link FileAttributes} that are not listed here never change while the file exists (type, device, file system and
 * file id), and are always given.
 */
public enum FileAttribute {
    PERMISSIONS,
    LINK_COUNT,
    OWNER,
    GROUP,
    SIZE,
    USED,
    ACCESS_TIME,
    MODIFY_TIME,
    CHANGE_TIME,
    BIRTH_TIME,
    CHANGE_ID;

    public static final Set<FileAttribute> ALL = Collections.unmodifiableSet(EnumSet.allOf(FileAttribute.class));

    /** For a caller that needs only what never changes, such as the type. */
    public static final Set<FileAttribute> NONE = Set.of();

    public static Set<FileAttribute> setOf(FileAttribute first, FileAttribute... more) {
        return Collections.unmodifiableSet(EnumSet.of(first, more));
    }
}
