package org.warpnfs.nfs.idmap;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Users and groups in this host's name service. Every method may block for as long as the service takes. Ids are
 * unsigned 32 bits.
 *
 * <p>Safe for any thread.
 */
public interface Accounts {
    /** Has no users and no groups. */
    Accounts NONE = new Accounts() {
        @Override
        public Optional<Long> idOf(Kind kind, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<String> nameOf(Kind kind, long id) {
            return Optional.empty();
        }

        @Override
        public Optional<List<Long>> groupsOf(long uid) {
            return Optional.empty();
        }
    };

    /** Whether a name or a number is that of a user or of a group. */
    enum Kind {
        USER,
        GROUP
    }

    /**
     * The number of a name; empty if there is no such name.
     *
     * @throws IOException if the service could not be asked or failed
     */
    Optional<Long> idOf(Kind kind, String name) throws IOException;

    /**
     * The name of a number; empty if it has none.
     *
     * @throws IOException if the service could not be asked or failed
     */
    Optional<String> nameOf(Kind kind, long id) throws IOException;

    /**
     * All groups of a user, including the primary one; empty if there is no such user.
     *
     * @throws IOException if the service could not be asked or failed
     */
    Optional<List<Long>> groupsOf(long uid) throws IOException;
}
