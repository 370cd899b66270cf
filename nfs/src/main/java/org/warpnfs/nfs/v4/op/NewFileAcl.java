package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.AttributeUpdate;
import org.warpnfs.nfs.v4.attr.Attributes;

/** Access control lists of a new file: its directory's default list, and the list that the client sets. */
final class NewFileAcl {
    private NewFileAcl() {}

    /** True if the client sent a umask and the directory has a default list, with which the umask has no effect. */
    static boolean overrulesUmask(Location directory, AttributeUpdate update) throws FsException {
        FileSystem fileSystem = directory.fileSystem();
        return !update.changes().equals(update.changesUnderDefaultAcl())
                && fileSystem.limits().has(Capability.ACLS)
                && fileSystem.acls(directory.file()).inherited() != null;
    }

    /**
     * Sets the lists of a file that the caller has created, by this call or by one that it repeats. The call cannot
     * fail any more. If the lists cannot be set, {@code set} is corrected.
     *
     * @param wanted null for none
     * @param set the attributes that were set
     */
    static void apply(CallContext call, Location directory, FileNode made, @Nullable AclChanges wanted, BitSet set) {
        if (wanted == null) {
            set.clear(Attributes.ACL);
            return;
        }
        FileSystem fileSystem = directory.fileSystem();
        // The creator of a file may set its lists, even if all files belong to the server's user. Where files belong to
        // their creators, the caller's own rights suffice, and no others are used.
        Caller owner = fileSystem.actsAsCaller() ? call.admissions().callerAt(directory) : Caller.ROOT;
        try {
            fileSystem.setAcls(owner, made.handle(), wanted);
        } catch (FsException e) {
            set.clear(Attributes.ACL);
        }
    }
}
