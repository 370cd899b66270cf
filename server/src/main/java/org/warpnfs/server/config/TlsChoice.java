package org.warpnfs.server.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.idmap.CertificateUsers;

/**
 * The files of TLS, and what certificates of clients mean.
 *
 * @param certificate the server's certificate, and those that it was issued by
 * @param key the server's private key
 * @param clientAuthorities issuers of clients' certificates; null if clients are not asked for one
 * @param users users of clients by a name in their certificate
 */
public record TlsChoice(
        Path certificate, Path key, @Nullable Path clientAuthorities, CertificateUsers users) {
    private static final int MAX_NAMES = 10_000;

    /**
     * Reads users of certificates, each {@code NAME=UID[:GID]}.
     *
     * @param what the setting and its place, for messages
     * @throws ConfigException if one is malformed
     */
    public static CertificateUsers users(String what, List<String> words) throws ConfigException {
        if (words.size() > MAX_NAMES) {
            throw new ConfigException(what + ": more than " + MAX_NAMES + " names");
        }
        Map<String, CertificateUsers.User> users = new HashMap<>();
        for (String word : words) {
            int equals = word.lastIndexOf('=');
            if (equals < 1) {
                throw new ConfigException(what + " " + word + ": not NAME=UID or NAME=UID:GID");
            }
            String name = word.substring(0, equals).toLowerCase(Locale.ROOT);
            String ids = word.substring(equals + 1);
            int colon = ids.indexOf(':');
            long uid = id(what, word, colon < 0 ? ids : ids.substring(0, colon));
            long gid = colon < 0 ? uid : id(what, word, ids.substring(colon + 1));
            if (users.put(name, new CertificateUsers.User(uid, gid)) != null) {
                throw new ConfigException(what + " " + word + ": " + name + " has a user already");
            }
        }
        return new CertificateUsers(users);
    }

    private static long id(String what, String word, String digits) throws ConfigException {
        int id;
        try {
            id = Integer.parseUnsignedInt(digits);
        } catch (NumberFormatException e) {
            throw new ConfigException(what + " " + word + ": '" + digits + "' is not a number from 0 to 4294967294", e);
        }
        if (id == -1) {
            throw new ConfigException(what + " " + word + ": 4294967295 (-1) is no user or group");
        }
        return Integer.toUnsignedLong(id);
    }
}
