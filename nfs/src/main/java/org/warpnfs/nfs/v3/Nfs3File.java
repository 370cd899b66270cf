package org.warpnfs.nfs.v3;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.Location;

/**
 * A file that a call names, under the policy of its export.
 *
 * @param admission the caller in that export, and whether it may change anything
 */
record Nfs3File(Location location, Admission admission) {
    Caller caller() {
        return admission.caller();
    }

    Export export() {
        return location.export();
    }

    FileSystem fileSystem() {
        return location.export().fileSystem();
    }

    FileHandle handle() {
        return location.file();
    }

    FileIdentity identity() {
        return location.identity();
    }

    /** True if the caller may change nothing in the export. */
    boolean isReadOnly() {
        return admission.readOnly();
    }

    /** Must be called before anything in the export is changed. */
    void requireWritable() throws Nfs3Exception {
        if (isReadOnly()) {
            throw new Nfs3Exception(Nfs3Status.ROFS);
        }
    }

    /** Attributes of which {@link Fattr3} is made. */
    FileAttributes attributes() throws FsException {
        return attributes(Fattr3.NEEDED);
    }

    FileAttributes attributes(Set<FileAttribute> wanted) throws FsException {
        return location.attributes(wanted);
    }

    @Nullable
    FileAttributes attributesIfAny(Set<FileAttribute> wanted) {
        try {
            return attributes(wanted);
        } catch (FsException e) {
            return null;
        }
    }

    PostOpAttr postOpAttr() {
        return postOpAttrIfAny(this::attributes);
    }

    PostOpAttr postOpAttr(FileAttributes attributes) {
        return new PostOpAttr(Fattr3.of(export(), attributes));
    }

    /** Attributes of the file while it is open. */
    PostOpAttr postOpAttr(OpenFile open) {
        return postOpAttrIfAny(open::attributes);
    }

    /** The same after a write through {@code open}. */
    PostOpAttr postOpAttrAfterWrite(OpenFile open) {
        return postOpAttrIfAny(open::attributesAfterWrite);
    }

    /** What attributes are read from. */
    @FunctionalInterface
    private interface Source {
        FileAttributes attributes(Set<FileAttribute> wanted) throws FsException;
    }

    /** Absent if they cannot be read, which is no failure of the operation itself. */
    private PostOpAttr postOpAttrIfAny(Source source) {
        try {
            return postOpAttr(source.attributes(Fattr3.NEEDED));
        } catch (FsException e) {
            return PostOpAttr.ABSENT;
        }
    }

    /** The parent directory. The root of the export is its own parent here, since no call leads out of an export. */
    FileNode parentWithinExport(Caller as) throws FsException {
        return location.isExportRoot()
                ? new FileNode(handle(), attributes())
                : fileSystem().lookupParent(as, handle());
    }
}
