package org.warpnfs.nfs.idmap;

/**
 * Names that can be {@linkplain #become replaced} while calls run. Each call uses either the old or the new names. Safe
 * for any thread.
 */
public final class CurrentNames implements OwnerNames {
    private volatile OwnerNames now;

    /** Starts with these names. */
    public CurrentNames(OwnerNames first) {
        this.now = first;
    }

    /** Replaces the names. Calls in progress keep the old ones. */
    public void become(OwnerNames next) {
        now = next;
    }

    @Override
    public OwnerNames forOneCall() {
        return now.forOneCall();
    }

    @Override
    public boolean mayWait() {
        return now.mayWait();
    }

    @Override
    public long idOf(Accounts.Kind kind, byte[] name) throws UnknownName, AnswerPending {
        return now.idOf(kind, name);
    }

    @Override
    public byte[] nameOf(Accounts.Kind kind, long id) {
        return now.nameOf(kind, id);
    }
}
