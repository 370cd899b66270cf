package org.warpnfs.nfs.idmap;

import java.nio.charset.StandardCharsets;

/**
 * Names of users and groups in NFSv4 (RFC 7530, section 5.9, RFC 8881, section 5.9): {@code user@domain}, or a number
 * in digits. Safe for any thread; no query waits for long.
 */
public interface OwnerNames {
    /** Uses numbers as the only names, as with AUTH_SYS. */
    OwnerNames NUMERIC = new OwnerNames() {
        @Override
        public long idOf(Accounts.Kind kind, byte[] name) throws UnknownName {
            return NumericName.parse(name);
        }

        @Override
        public byte[] nameOf(Accounts.Kind kind, long id) {
            return Long.toString(id).getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public boolean mayWait() {
            return false;
        }
    };

    /**
     * The user or group that a client names.
     *
     * @param name in UTF-8, as the client sent it
     * @return unsigned 32 bits, but not 4294967295, which the kernel takes for nobody
     * @throws UnknownName if no user or group has that name
     * @throws AnswerPending if that is not known yet
     */
    long idOf(Accounts.Kind kind, byte[] name) throws UnknownName, AnswerPending;

    /**
     * These names for the queries of one call, on one thread. All its queries together wait no longer than one query
     * may.
     */
    default OwnerNames forOneCall() {
        return this;
    }

    /** True if a query may wait for a name service. */
    default boolean mayWait() {
        return true;
    }

    /** The name to send to clients, in UTF-8: digits if there is no name or none is known yet. */
    byte[] nameOf(Accounts.Kind kind, long id);
}
