package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;

/**
 * The user and the one group in whose name a client reads and writes a file at a data server, by AUTH_SYS (RFC 8435,
 * section 2.2). The data server judges them as it judges anyone. A layout gives nothing that the file does not.
 */
record DataServerUser(long uid, long gid) {
    private static final Set<FileAttribute> OWNER = FileAttribute.setOf(FileAttribute.OWNER);

    /**
     * The user for the caller of a COMPOUND.
     *
     * @return null if the caller needs more than one group there, or if data servers would not know it by AUTH_SYS over
     *     a connection in clear
     */
    static @Nullable DataServerUser of(CallContext call, Location file, boolean writes) throws FsException {
        if (!call.admissions().isPlain(file)) {
            return null;
        }
        Caller caller = call.admissions().callerAt(file);
        if (mayUse(new Caller(caller.uid(), caller.gid(), List.of()), file, writes)) {
            return new DataServerUser(caller.uid(), caller.gid());
        }
        for (long group : caller.groups()) {
            if (mayUse(new Caller(caller.uid(), group, List.of()), file, writes)) {
                return new DataServerUser(caller.uid(), group);
            }
        }
        return null;
    }

    private static boolean mayUse(Caller caller, Location file, boolean writes) throws FsException {
        if (caller.isSuperuser() || file.attributes(OWNER).uid() == caller.uid()) {
            return true;
        }
        Set<Permission> asked = EnumSet.of(writes ? Permission.WRITE : Permission.READ);
        return file.fileSystem().permissions(caller, file.file(), asked).equals(asked);
    }
}
