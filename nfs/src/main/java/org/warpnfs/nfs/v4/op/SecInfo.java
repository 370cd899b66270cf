package org.warpnfs.nfs.v4.op;

import java.util.List;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * SECINFO (RFC 8881, section 18.29): the credentials that are accepted for a name in the current directory. From
 * NFSv4.1 on it removes the current filehandle.
 */
final class SecInfo implements Operation {
    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        Location found = Lookup.find(call, call.files().current(), name);
        if (call.minorVersion() > 0) {
            call.files().clearCurrent();
        }
        encodeFlavors(call.admissions().flavorsAt(found), out);
    }

    static void encodeFlavors(List<Flavor> flavors, CompoundWriter out) {
        out.int32(flavors.size());
        for (Flavor flavor : flavors) {
            out.int32(flavor.code());
        }
    }
}
