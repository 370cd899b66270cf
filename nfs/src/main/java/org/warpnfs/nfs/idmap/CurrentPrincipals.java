package org.warpnfs.nfs.idmap;

import java.util.Optional;

/** Users of principals that can be {@linkplain #become replaced} while calls run. Safe for any thread. */
public final class CurrentPrincipals implements PrincipalUsers {
    private volatile PrincipalUsers now;

    /** Starts with these users. */
    public CurrentPrincipals(PrincipalUsers first) {
        this.now = first;
    }

    /** Replaces the users. */
    public void become(PrincipalUsers next) {
        now = next;
    }

    @Override
    public Optional<User> userOf(String principal) throws AnswerPending {
        return now.userOf(principal);
    }
}
