package org.warpnfs.nfs.locks;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.limits.ClientAddress;

/** A lock service of which a test speaks in words: files are numbers, owners are names, all of one client. */
final class NamedLocks {
    static final ClientAddress ANN = ClientAddress.of(new InetSocketAddress("10.0.0.1", 700));

    /** No backend has anything to release. */
    static final Consumer<Runnable> NO_RELEASE = release -> {
        throw new AssertionError("a release " + release);
    };

    private final SteppedLocks stepped;
    private final List<String> told = new ArrayList<>();

    NamedLocks() {
        this.stepped = new SteppedLocks();
    }

    /** @param mostWaiting limit of requests in line */
    NamedLocks(int mostWaiting) {
        this.stepped = new SteppedLocks(mostWaiting);
    }

    /** An owner that is there as long as the test. */
    record Named(String word) implements Locker {
        @Override
        public boolean isGone() {
            return false;
        }

        @Override
        public ClientAddress address() {
            return ANN;
        }

        @Override
        public byte[] name() {
            return word.getBytes(StandardCharsets.US_ASCII);
        }
    }

    static FileIdentity file(int number) {
        return new FileIdentity("disk", FileHandle.of(new byte[] {(byte) number}));
    }

    static LockedFile here(int number) {
        return LockedFile.here(file(number));
    }

    static ByteRange range(long first, long last) {
        return new ByteRange(first, last);
    }

    static Named owner(String name) {
        return new Named(name);
    }

    LockService service() {
        return stepped.service();
    }

    /** Locks without waiting. */
    LockAttempt take(int file, String owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        return service().lock(here(file), owner(owner), exclusive, range);
    }

    /** Locks, or waits in line to be given the lock. */
    LockAttempt.Outcome await(int file, String owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        return service()
                .lockOrWait(here(file), owner(owner), exclusive, range, ANN, tells(owner))
                .outcome();
    }

    /** Locks file 1, or waits in line to be told to ask again. */
    LockAttempt.Outcome ask(String owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        return service()
                .lockInTurn(here(1), owner(owner), exclusive, range, ANN, tells(owner))
                .outcome();
    }

    int unlock(int file, String owner, ByteRange range) {
        return service().unlock(file(file), owner(owner), range, NO_RELEASE);
    }

    int unlockAll(int file, String owner) {
        return service().unlockAll(file(file), owner(owner), NO_RELEASE);
    }

    boolean isWaiting(int file, String owner) {
        return service().isWaiting(file(file), owner(owner));
    }

    /** A waiter that notes this word when it is told. */
    LockWaiter tells(String word) {
        return () -> told.add(word);
    }

    /** The words of those that have been told since {@link #toldNow}. */
    List<String> told() {
        return told;
    }

    /** Tells those that have to be told, and returns their words. */
    List<String> toldNow() {
        stepped.tell();
        List<String> now = List.copyOf(told);
        told.clear();
        return now;
    }

    /** Ends the turns of those who were told and have not asked again. */
    void endTurns() {
        stepped.endTurns();
    }

    void pass(Duration time) {
        stepped.pass(time);
    }
}
