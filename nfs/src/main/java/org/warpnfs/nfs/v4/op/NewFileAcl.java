package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.attr.AttributeUpdate;
import org.warpnfs.nfs.v4.attr.Attributes;

/** Access control lists at the making of a file: what the directory has to say, and what the client wants. */
final class NewFileAcl {
    private NewFileAcl() {}

    /**
     * True if there is a umask, and new files in the directory take their permissions without it, from a default list.
     */
    static boolean overrulesUmask(Location directory, AttributeUpdate update) throws FsException {
        FileSystem fileSystem = directory.fileSystem();
        return !update.changes().equals(update.changesUnderDefaultAcl())
                && fileSystem.limits().accessControlLists()
                && fileSystem.acls(directory.file()).inherited() != null;
    }

    /**
     * Sets the lists of a file that the caller has made, by this call or the one that it repeats. It is too late to
     * fail then: where it cannot be done, {@code set} says so.
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
        // Who made the file may set its lists, also where all files belong to the server's user. Where they do not, the
        // caller's own
        // rights are enough, and nothing is done with more.
        Caller owner = fileSystem.actsAsCaller() ? call.admissions().callerAt(directory) : Caller.ROOT;
        try {
            fileSystem.setAcls(owner, made.handle(), wanted);
        } catch (FsException e) {
            set.clear(Attributes.ACL);
        }
    }
}
