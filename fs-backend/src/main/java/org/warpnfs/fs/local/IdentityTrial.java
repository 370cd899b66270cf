package org.warpnfs.fs.local;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.local.libc.OpenCalls;

/**
 * Tests whether the kernel checks a thread's calls as another user's once the thread has taken that user's identity.
 * Capabilities alone do not tell. In a user namespace, setgroups(2) may be forbidden and other users may not exist.
 * With the securebit SECBIT_NO_SETUID_FIXUP, root's power over files stays in force after a change of user. So one
 * thread takes another user's identity and checks access to a file that it made. The thread does nothing else and ends.
 */
final class IdentityTrial {
    private static final int OWNER_READS = 0400;
    private static final int GROUP_READS = 0040;
    private static final int NOBODY_READS = 0;

    private IdentityTrial() {}

    /** Result of the trial. */
    sealed interface Outcome {
        /**
         * Calls can be made as the caller.
         *
         * @param limits text that says which callers are refused, to be appended to a message; empty if none
         */
        record Works(String limits) implements Outcome {}

        /** Calls cannot be made as the caller. The server may check permissions itself. */
        record Fails(String reason) implements Outcome {}

        /** Calls could be made as the caller, but the kernel would check them as root's. */
        record Unsafe(String reason) implements Outcome {}
    }

    /** Runs the trial on a thread of its own. */
    static Outcome run() throws IOException {
        IdMap users = IdMap.ofUsers();
        IdMap groups = IdMap.ofGroups();
        FutureTask<Outcome> trial = new FutureTask<>(() -> {
            try {
                return tryAs(users, groups);
            } catch (ErrnoException e) {
                return new Outcome.Fails("a trial of it failed with errno " + e.errno());
            }
        });
        Thread.ofPlatform().name("warpnfs-identity-trial").start(trial);
        try {
            return trial.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException("the trial of another identity failed", e.getCause());
        }
    }

    private static Outcome tryAs(IdMap users, IdMap groups) throws ErrnoException {
        if (IdentityCalls.effectiveUser() != 0
                || !IdentityCalls.hasCapability(IdentityCalls.CAP_SETUID)
                || !IdentityCalls.hasCapability(IdentityCalls.CAP_SETGID)) {
            return new Outcome.Fails("the process is not root with CAP_SETUID and CAP_SETGID");
        }
        if ((IdentityCalls.secureBits() & IdentityCalls.SECBIT_NO_SETUID_FIXUP) != 0) {
            return new Outcome.Unsafe("the securebit SECBIT_NO_SETUID_FIXUP is set, with which every caller would have"
                    + " root's power over files; start the server without it");
        }
        long uid = users.other();
        long gid = groups.other();
        if (uid == 0 || gid == 0) {
            return new Outcome.Fails("this user namespace has no other users or groups");
        }
        try (Fd file = OpenCalls.openInMemory()) {
            return tryAs(uid, gid, file, users.limits("user") + groups.limits("group"));
        }
    }

    private static Outcome tryAs(long uid, long gid, Fd file, String limits) throws ErrnoException {
        try {
            IdentityCalls.setGroups(List.of(gid));
        } catch (ErrnoException e) {
            return new Outcome.Fails(
                    "setgroups(2) is not allowed here, as in a user namespace that its user made alone");
        }
        if (!IdentityCalls.setFileSystemUser(uid)) {
            return new Outcome.Fails("setfsuid(2) has no effect here");
        }
        boolean stillRoot = mayRead(file, NOBODY_READS, 0, 0, uid);
        boolean isUser = mayRead(file, OWNER_READS, uid, 0, uid);
        boolean isInGroup = mayRead(file, GROUP_READS, 0, gid, uid);
        IdentityCalls.setGroups(List.of());
        if (!IdentityCalls.setFileSystemGroup(gid)) {
            return new Outcome.Fails("setfsgid(2) has no effect here");
        }
        boolean isOfGroup = mayRead(file, GROUP_READS, 0, gid, uid);
        if (stillRoot) {
            return new Outcome.Unsafe(
                    "a change of user leaves root's power over files in force here, which every caller would have");
        }
        return isUser && isInGroup && isOfGroup
                ? new Outcome.Works(limits)
                : new Outcome.Fails(
                        "the kernel did not check a trial as user %d and group %d as theirs".formatted(uid, gid));
    }

    /**
     * Sets the file's permissions and owner as root, then checks access as {@code asUser}. The thread keeps that user's
     * identity.
     */
    private static boolean mayRead(Fd file, int permissions, long owner, long group, long asUser)
            throws ErrnoException {
        IdentityCalls.setFileSystemUser(0);
        AttributeCalls.chown(file, (int) owner, (int) group);
        AttributeCalls.chmod(file, permissions);
        IdentityCalls.setFileSystemUser(asUser);
        try {
            AttributeCalls.access(file, AttributeCalls.R_OK);
            return true;
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EACCES) {
                throw e;
            }
            return false;
        }
    }
}
