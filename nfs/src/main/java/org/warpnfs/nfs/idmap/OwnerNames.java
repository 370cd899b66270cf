package org.warpnfs.nfs.idmap;

import java.nio.charset.StandardCharsets;

/**
 * The names by which NFSv4 calls users and groups (RFC 7530, section 5.9, RFC 8881, section 5.9): {@code user@domain},
 * or a number in digits. Safe for any thread; no question waits for long.
 */
public interface OwnerNames {
    /** Numbers are all the names there are, as AUTH_SYS has them. */
    OwnerNames NUMERIC = new OwnerNames() {
        @Override
        public long idOf(Accounts.Kind kind, byte[] name) throws UnknownName {
            return NumericName.parse(name);
        }

        @Override
        public byte[] nameOf(Accounts.Kind kind, long id) {
            return Long.toString(id).getBytes(StandardCharsets.US_ASCII);
        }
    };

    /**
     * Whom a client means.
     *
     * @param name in UTF-8, as it came
     * @return unsigned 32 bits, and not 4294967295, which means nobody to the kernel
     * @throws UnknownName if nobody is called so
     * @throws AnswerPending if that is not known yet
     */
    long idOf(Accounts.Kind kind, byte[] name) throws UnknownName, AnswerPending;

    /** The same for one call, on one thread: all its questions together wait as long as one may. */
    default OwnerNames forOneCall() {
        return this;
    }

    /** What a client is told, in UTF-8: digits where there is no name, or none is known yet. */
    byte[] nameOf(Accounts.Kind kind, long id);
}
