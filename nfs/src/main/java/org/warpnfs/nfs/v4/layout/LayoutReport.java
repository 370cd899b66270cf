package org.warpnfs.nfs.v4.layout;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * What a client reports when it returns a layout of flexible files (RFC 8435, section 9.3).
 *
 * <pre>
 *   ff_layoutreturn4  ff_ioerr4 fflr_ioerr_report&lt;&gt;; ff_iostats4 fflr_iostats_report&lt;&gt;
 *   ff_ioerr4         offset4; length4; stateid4; device_error4 ffie_errors&lt;&gt;
 *   ff_iostats4       offset4; length4; stateid4; io_info4 ffis_read, ffis_write; deviceid4; ff_layoutupdate4
 *   ff_layoutupdate4  netaddr4 ffl_addr; nfs_fh4 ffl_fhandle; ff_io_latency4 ffl_read, ffl_write;
 *                     nfstime4 ffl_duration; bool ffl_local
 *   io_info4          uint64 ii_count, ii_bytes
 * </pre>
 */
public record LayoutReport(List<DeviceError> errors, List<DeviceReport> uses) {
    /** The longest report: errors and statistics of each data server many times over. */
    private static final int MAX_BYTES = 64 * 1024;

    private static final int MAX_RECORDS = 256;
    private static final int MAX_ADDRESS_BYTES = 128;
    private static final int MAX_HANDLE_BYTES = 128;
    /** Five numbers of 64 bits and two times. */
    private static final int LATENCY_WORDS = 16;

    private static final LayoutReport NOTHING = new LayoutReport(List.of(), List.of());

    /**
     * Decodes lrf_body, which may be empty.
     *
     * @throws Nfs4Exception BADXDR if it is not an ff_layoutreturn4
     */
    public static LayoutReport decode(CompoundReader in) throws Nfs4Exception {
        int length = in.count(MAX_BYTES);
        if (length == 0) {
            return NOTHING;
        }
        long end = in.consumedBytes() + length;
        List<DeviceError> errors = new ArrayList<>();
        for (int left = in.count(MAX_RECORDS); left > 0; left--) {
            skipRange(in);
            errors.addAll(DeviceError.decodeList(in));
        }
        List<DeviceReport> uses = new ArrayList<>();
        for (int left = in.count(MAX_RECORDS); left > 0; left--) {
            skipRange(in);
            uses.add(DeviceReport.decode(in));
            skipUpdate(in);
        }
        if (in.consumedBytes() != end) {
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        return new LayoutReport(List.copyOf(errors), List.copyOf(uses));
    }

    private static void skipRange(CompoundReader in) throws Nfs4Exception {
        in.int64();
        in.int64();
        in.stateid();
    }

    private static void skipUpdate(CompoundReader in) throws Nfs4Exception {
        in.opaque(MAX_ADDRESS_BYTES);
        in.opaque(MAX_ADDRESS_BYTES);
        in.opaque(MAX_HANDLE_BYTES);
        for (int word = 0; word < 2 * LATENCY_WORDS; word++) {
            in.int32();
        }
        in.int64();
        in.int32();
        in.bool();
    }
}
