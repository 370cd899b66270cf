package org.warpnfs.nfs.idmap;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The users whom clients act as because of the certificate that they have shown in TLS. Immutable.
 *
 * @param byName by a name in the certificate, in lower case
 */
public record CertificateUsers(Map<String, User> byName) {
    public static final CertificateUsers NONE = new CertificateUsers(Map.of());

    /** A user and a group, unsigned 32 bits each. */
    public record User(long uid, long gid) {}

    public CertificateUsers {
        byName = Map.copyOf(byName);
    }

    /** The user of the first name that has one; null if none has, and the client says itself who its users are. */
    public @Nullable User of(List<String> names) {
        for (String name : names) {
            User user = byName.get(name);
            if (user != null) {
                return user;
            }
        }
        return null;
    }
}
