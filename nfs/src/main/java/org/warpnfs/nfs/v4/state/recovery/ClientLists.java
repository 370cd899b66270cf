package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.Set;
import java.util.function.Predicate;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** The lists of clients of one node, by epoch and instance. Methods wait for a medium. */
public interface ClientLists {
    /**
     * The clients of a list; none if there is no such list.
     *
     * @throws IOException if it is damaged, or cannot be read; that must not cost clients what they had
     */
    Set<Opaque> read(Member.Records records) throws IOException;

    /** Makes a list with these clients; returns when it is on stable storage. Replaces one that exists. */
    ClientList create(Member.Records records, Set<Opaque> clients) throws IOException;

    /** Removes lists; they need not be gone after a crash. */
    void remove(Predicate<Member.Records> obsolete) throws IOException;
}
