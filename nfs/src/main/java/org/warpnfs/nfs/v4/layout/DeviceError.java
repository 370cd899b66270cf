package org.warpnfs.nfs.v4.layout;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * device_error4 (RFC 7862, section 15.6.1): what happened to a client at a data server.
 *
 * @param status nfsstat4, of any value
 * @param operation nfs_opnum4, of any value
 */
public record DeviceError(DeviceId device, int status, int operation) {
    /** Errors that one report may have. Linux sends at most 20. */
    static final int MAX_ERRORS = 256;

    /** Decodes lea_errors or ffie_errors. */
    public static List<DeviceError> decodeList(CompoundReader in) throws Nfs4Exception {
        int count = in.count(MAX_ERRORS);
        List<DeviceError> errors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            errors.add(new DeviceError(DeviceId.decode(in), in.int32(), in.int32()));
        }
        return errors;
    }

    /** True if the data server refused this file or this user, rather than failed. */
    public boolean isRefusal() {
        return status == Nfs4Status.ACCESS.code()
                || status == Nfs4Status.PERM.code()
                || status == Nfs4Status.STALE.code()
                || status == Nfs4Status.BADHANDLE.code()
                || status == Nfs4Status.ROFS.code();
    }
}
