package org.warpnfs.nfs.export;

import java.util.List;

/**
 * Other places of an export's files: {@code refer=} and {@code replicas=} of exports(5). NFSv4 clients get them as
 * fs_locations (RFC 7530, section 8, RFC 8881, section 11).
 *
 * @param isReferral the files are not served here, and clients are referred to the places
 * @param places the preferred one first
 */
public record FsLocations(boolean isReferral, List<Place> places) {
    /** The files are served here and nowhere else. */
    public static final FsLocations NONE = new FsLocations(false, List.of());

    public FsLocations {
        if (isReferral && places.isEmpty()) {
            throw new IllegalArgumentException("a referral needs at least one place");
        }
        places = List.copyOf(places);
    }

    /**
     * Copies of the files on other servers.
     *
     * @param hosts names or addresses, as clients understand them; at least one
     * @param path the files' path on each of them
     */
    public record Place(List<String> hosts, PseudoPath path) {
        public Place {
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("no host is given for " + path);
            }
            hosts = List.copyOf(hosts);
        }
    }
}
