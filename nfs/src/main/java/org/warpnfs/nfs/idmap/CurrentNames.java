package org.warpnfs.nfs.idmap;

/**
 * Names that can be {@linkplain #become replaced} while calls run: each call is answered by one set of names or the
 * other. Safe for any thread.
 */
public final class CurrentNames implements OwnerNames {
    private volatile OwnerNames now;

    /** These, until there are others. */
    public CurrentNames(OwnerNames first) {
        this.now = first;
    }

    /** From now on these; a call that has begun goes on with those of before. */
    public void become(OwnerNames next) {
        now = next;
    }

    @Override
    public OwnerNames forOneCall() {
        return now.forOneCall();
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
