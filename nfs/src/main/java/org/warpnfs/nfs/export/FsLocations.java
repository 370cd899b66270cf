package org.warpnfs.nfs.export;

import java.util.List;

/**
 * Where else the files of an export are: {@code refer=} and {@code replicas=} of exports(5), told to NFSv4 clients as
 * fs_locations (RFC 7530, section 8, RFC 8881, section 11).
 *
 * @param isReferral clients are led there and find nothing here
 * @param places the one that is liked best first
 */
public record FsLocations(boolean isReferral, List<Place> places) {
    /** The files are here and nowhere else. */
    public static final FsLocations NONE = new FsLocations(false, List.of());

    public FsLocations {
        if (isReferral && places.isEmpty()) {
            throw new IllegalArgumentException("a referral to nowhere");
        }
        places = List.copyOf(places);
    }

    /**
     * The same files on other servers.
     *
     * @param hosts names or addresses, as clients understand them; at least one
     * @param path on each of them
     */
    public record Place(List<String> hosts, PseudoPath path) {
        public Place {
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("no host for " + path);
            }
            hosts = List.copyOf(hosts);
        }
    }
}
