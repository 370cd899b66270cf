package org.warpnfs.nfs.v4.attr;

import java.nio.charset.StandardCharsets;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * fs_locations4 (RFC 8881, section 11.16).
 *
 * <pre>
 * pathname4     fs_root: path of the file system on this server
 * uint32        number of locations, then for each
 * utf8str_cis   server&lt;&gt;
 * pathname4     rootpath there
 *
 * pathname4     component4&lt;&gt;
 * </pre>
 */
final class FsLocationsText {
    private FsLocationsText() {}

    /** Encodes the locations. If there are none, fs_root is empty too. */
    static void encode(PseudoPath here, FsLocations locations, CompoundWriter out) {
        encode(locations.places().isEmpty() ? PseudoPath.root() : here, out);
        out.int32(locations.places().size());
        for (FsLocations.Place place : locations.places()) {
            out.int32(place.hosts().size());
            for (String host : place.hosts()) {
                out.opaque(host.getBytes(StandardCharsets.UTF_8));
            }
            encode(place.path(), out);
        }
    }

    private static void encode(PseudoPath path, CompoundWriter out) {
        out.int32(path.components().size());
        for (FileName name : path.components()) {
            out.opaque(name.toBytes());
        }
    }
}
