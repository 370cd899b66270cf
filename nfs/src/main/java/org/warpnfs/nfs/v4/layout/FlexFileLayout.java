package org.warpnfs.nfs.v4.layout;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A layout of the type of flexible files (RFC 8435, section 5.1). The whole file is at each data server.
 *
 * <pre>
 *   ff_layout4       length4 ffl_stripe_unit; ff_mirror4 ffl_mirrors&lt;&gt;; uint32 ffl_flags, ffl_stats_collect_hint
 *   ff_mirror4       ff_data_server4 ffm_data_servers&lt;&gt;
 *   ff_data_server4  deviceid4 ffds_deviceid; uint32 ffds_efficiency; stateid4 ffds_stateid;
 *                    nfs_fh4 ffds_fh_vers&lt;&gt;; fattr4_owner ffds_user; fattr4_owner_group ffds_group
 * </pre>
 *
 * @param servers the preferred one first; at least one
 * @param handle of the file at data servers, the same at all of them
 * @param uid the user in whose name the client reads and writes there, unsigned 32 bits
 * @param gid likewise the group
 */
public record FlexFileLayout(List<DeviceId> servers, Opaque handle, long uid, long gid) {
    /** LAYOUT4_FLEX_FILES. */
    public static final int TYPE = 4;

    /** The size and times of a file are those of the file itself, which the metadata server sees. */
    static final int NO_LAYOUTCOMMIT = 1;

    /** Encodes loc_body. */
    public void encode(CompoundWriter out) {
        // One data server for each mirror: there are no stripes.
        out.int64(0);
        out.int32(servers.size());
        int efficiency = servers.size();
        for (DeviceId server : servers) {
            out.int32(1);
            server.encode(out);
            out.int32(efficiency--);
            // NFSv3 has no stateids.
            Stateid.ANONYMOUS.encode(out);
            out.int32(1);
            handle.encode(out);
            out.opaque(decimal(uid));
            out.opaque(decimal(gid));
        }
        out.int32(NO_LAYOUTCOMMIT);
        out.int32(0);
    }

    private static byte[] decimal(long id) {
        return Long.toString(id).getBytes(StandardCharsets.US_ASCII);
    }
}
