package org.warpnfs.nfs.v4.op;

import java.util.EnumSet;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Rules for a file system whose files are elsewhere ({@code refer=}). A client may make its root the current filehandle
 * and ask for its locations. Any other operation on that filehandle is answered with MOVED (RFC 7530, section 8.3, RFC
 * 8881, section 11.3). READDIR of the parent directory returns as much as GETATTR.
 */
public final class AbsentFileSystem {
    /**
     * Operations that use the file of the current filehandle. GETATTR, which returns the locations, is not among them.
     */
    private static final Set<OpCode> STOPPED = EnumSet.of(
            OpCode.ACCESS,
            OpCode.ALLOCATE,
            OpCode.CLONE,
            OpCode.CLOSE,
            OpCode.COMMIT,
            OpCode.COPY,
            OpCode.CREATE,
            OpCode.DEALLOCATE,
            OpCode.DELEGRETURN,
            OpCode.GETFH,
            OpCode.GETXATTR,
            OpCode.IO_ADVISE,
            OpCode.LINK,
            OpCode.LISTXATTRS,
            OpCode.LOCK,
            OpCode.LOCKT,
            OpCode.LOCKU,
            OpCode.LOOKUP,
            OpCode.LOOKUPP,
            OpCode.NVERIFY,
            OpCode.OPEN,
            OpCode.OPEN_CONFIRM,
            OpCode.OPEN_DOWNGRADE,
            OpCode.READ,
            OpCode.READDIR,
            OpCode.READLINK,
            OpCode.READ_PLUS,
            OpCode.REMOVE,
            OpCode.REMOVEXATTR,
            OpCode.RENAME,
            OpCode.SAVEFH,
            OpCode.SECINFO,
            OpCode.SECINFO_NO_NAME,
            OpCode.SEEK,
            OpCode.SETATTR,
            OpCode.SETXATTR,
            OpCode.VERIFY,
            OpCode.WRITE);

    private AbsentFileSystem() {}

    /** True if the operation must be answered with MOVED. */
    public static boolean stops(OpCode code, CallContext call) {
        return call.files().isCurrentAbsent() && STOPPED.contains(code);
    }
}
