package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * SECINFO_NO_NAME (RFC 8881, section 18.45). A caller whose credential is not accepted learns the flavors of the parent
 * too: those of the same export, if the file is not its root.
 */
final class SecInfoNoName implements Operation {
    private static final int STYLE_CURRENT = 0;
    private static final int STYLE_PARENT = 1;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        int style = in.int32();
        Location file = call.files().currentWithAnyFlavor();
        Location asked = file;
        boolean mayLook = file.isExportRoot() || call.admissions().isAdmitted(file);
        if (style == STYLE_PARENT && mayLook) {
            asked = LookupParent.parentOf(call, file);
            if (asked.equals(file)) {
                throw Nfs4Exception.of(Nfs4Status.NOENT);
            }
        } else if (style != STYLE_CURRENT && style != STYLE_PARENT) {
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        call.files().clearCurrent();
        SecInfo.encodeFlavors(call.admissions().flavorsAt(asked), out);
    }
}
