package org.warpnfs.nfs.v4.layout;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * What a client reports of one data server in LAYOUTSTATS or LAYOUTRETURN: two io_info4 and a deviceid4.
 *
 * @param device any: it may be none of ours
 * @param use since the client has the layout
 */
public record DeviceReport(DeviceId device, DeviceUse use) {
    /** Decodes the numbers and the id behind them. */
    public static DeviceReport decode(CompoundReader in) throws Nfs4Exception {
        DeviceUse use = DeviceUse.decode(in);
        return new DeviceReport(DeviceId.decode(in), use);
    }
}
