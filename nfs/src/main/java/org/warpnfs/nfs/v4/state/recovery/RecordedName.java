package org.warpnfs.nfs.v4.state.recovery;

import com.google.common.hash.Hashing;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The name of a client in the records of {@link RecoveryLog}. Anyone may call itself by another's co_ownerid, so the
 * name covers who the client was too:
 *
 * <pre>
 *   4 bytes   the mark of such a name
 *   32 bytes  SHA-256 of the co_ownerid, the principal, the protection of the connection, and with MUTUAL_TLS the
 *             first name of its certificate
 * </pre>
 *
 * After a restart a client may reclaim what it had before with the same principal, and with no better protection than
 * now. Records of earlier builds are plain co_ownerids: whoever has that name may reclaim.
 */
final class RecordedName {
    private static final byte[] MARK = {0, 'w', 'n', 1};

    private RecordedName() {}

    /** The name of a client that is recorded now. */
    static Opaque of(Client client) {
        SecuredPeer.Security security = client.security();
        return name(
                client,
                security.protection(),
                security.names().isEmpty() ? "" : security.names().getFirst());
    }

    /** The names of the records that a client may reclaim from. */
    static List<Opaque> before(Client client) {
        List<Opaque> names = new ArrayList<>();
        if (!isMarked(client.owner())) {
            names.add(client.owner());
        }
        SecuredPeer.Security security = client.security();
        for (Protection protection : Protection.values()) {
            if (protection.compareTo(security.protection()) < 0
                    || security.names().isEmpty()) {
                names.add(name(client, protection, ""));
            }
            if (protection == security.protection()) {
                security.names().forEach(name -> names.add(name(client, protection, name)));
                break;
            }
        }
        return names;
    }

    /** True for a co_ownerid that somebody has made up to look like a record. */
    private static boolean isMarked(Opaque owner) {
        byte[] bytes = owner.toBytes();
        return bytes.length >= MARK.length && Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length);
    }

    private static Opaque name(Client client, Protection protection, String certificate) {
        Principal principal = client.principal();
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        add(whole, client.owner().toBytes());
        add(whole, number(principal.flavor()));
        add(whole, number(principal.uid()));
        add(whole, principal.name().getBytes(StandardCharsets.UTF_8));
        add(whole, protection.word().getBytes(StandardCharsets.UTF_8));
        add(whole, certificate.getBytes(StandardCharsets.UTF_8));
        ByteBuffer name = ByteBuffer.allocate(MARK.length + 32);
        name.put(MARK).put(Hashing.sha256().hashBytes(whole.toByteArray()).asBytes());
        return Opaque.of(name.array());
    }

    /** With its length, so that no part can be taken for the end of another. */
    private static void add(ByteArrayOutputStream whole, byte[] part) {
        whole.writeBytes(number(part.length));
        whole.writeBytes(part);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
