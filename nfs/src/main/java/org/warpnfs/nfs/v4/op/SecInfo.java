package org.warpnfs.nfs.v4.op;

import java.util.HexFormat;
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
    /** sec_oid4: 1.2.840.113554.1.2.2, the contents of its DER form, as Linux sends and expects it. */
    private static final byte[] KERBEROS_5 = HexFormat.of().parseHex("2a864886f712010202");

    private static final int DEFAULT_QOP = 0;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException {
        FileName name = Names.decode(in);
        Location found = find(call, call.files().currentWithAnyFlavor(), name);
        if (call.minorVersion() > 0) {
            call.files().clearCurrent();
        }
        encodeFlavors(call.admissions().flavorsAt(found), out);
    }

    /** A caller whose credential is not accepted learns the flavors, but not whether there is a file of that name. */
    private static Location find(CallContext call, Location directory, FileName name)
            throws Nfs4Exception, FsException {
        boolean mayLook = call.admissions().isAdmitted(directory)
                || call.services().exports().mountedAt(directory, name) != null;
        return mayLook ? Lookup.find(call, directory, name) : directory;
    }

    static void encodeFlavors(List<Flavor> flavors, CompoundWriter out) {
        out.int32(flavors.size());
        for (Flavor flavor : flavors) {
            if (flavor.isKerberos()) {
                out.int32(Flavor.RPCSEC_GSS);
                out.opaque(KERBEROS_5);
                out.int32(DEFAULT_QOP);
                out.int32(flavor.service());
            } else {
                out.int32(flavor.code());
            }
        }
    }
}
