package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.layout.FlexFileLayout;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** What the operations of pNFS have in common (RFC 8881, section 12). */
final class LayoutArguments {
    /** layoutiomode4. */
    static final int IOMODE_READ = 1;

    static final int IOMODE_RW = 2;
    static final int IOMODE_ANY = 3;

    /** Stands for the end of the file, wherever that will be. */
    static final long WHOLE = -1;

    private LayoutArguments() {}

    /** The data servers; NOTSUPP if there are none. */
    static DataServerChoice dataServers(CallContext call) throws Nfs4Exception {
        DataServerChoice choice = call.services().dataServers();
        if (!choice.servers().areUsed()) {
            throw Nfs4Exception.of(Nfs4Status.NOTSUPP);
        }
        return choice;
    }

    static void requireFlexFiles(int layoutType) throws Nfs4Exception {
        if (layoutType != FlexFileLayout.TYPE) {
            throw Nfs4Exception.of(Nfs4Status.UNKNOWN_LAYOUTTYPE);
        }
    }

    /** INVAL for a range that goes beyond 2^64. It may be empty. */
    static void requireRange(long offset, long length) throws Nfs4Exception {
        if (length != WHOLE && Long.compareUnsigned(length, -1 - offset) > 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
    }

    /** Checks that the stateid is of a layout of the current file, which it returns. */
    static FileKey requireLayout(CallContext call, Stateid argument) throws Nfs4Exception {
        Location file = call.files().current();
        FileKey key = FileKey.of(file.identity());
        call.services()
                .state()
                .layouts()
                .require(call.calling().client(), key, call.files().resolve(argument));
        return key;
    }
}
