package org.warpnfs.fs.local;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * Callers that may open one file, so that the kernel is not asked again for each READ and WRITE of NFSv3, which opens
 * the file each time.
 *
 * <p>A change of permissions, owner or access control list changes the file's change time, and with it every verdict
 * ends. The clock of the change time is coarse, so a verdict on a file that was changed a moment ago is not kept:
 * another change could have the same time. Mode, owner and group are compared too, for file systems that keep whole
 * seconds, and a clock that is set back. Only permissions that were granted are kept. Safe for many threads.
 */
final class Verdicts {
    private static final int MAX_KEPT = 8;
    private static final long SETTLED_SECONDS = 2;

    private record Granted(Caller caller, OpenAccess access) {}

    private final Deque<Granted> granted = new ArrayDeque<>();
    private final Clock clock;
    /** The file as it was when these verdicts were given. */
    private @Nullable Judged judged;

    /** What decides who may open a file, as far as it is seen without another call. */
    private record Judged(long changeSeconds, int changeNanos, int mode, long uid, long gid) {
        static Judged of(Statx file) {
            return new Judged(file.changeSeconds(), file.changeNanos(), file.mode(), file.uid(), file.gid());
        }
    }

    Verdicts() {
        this(Clock.systemUTC());
    }

    Verdicts(Clock clock) {
        this.clock = clock;
    }

    /** True if the caller was permitted to open the file, and nothing has changed since. */
    synchronized boolean permit(Caller caller, OpenAccess access, Statx file) {
        return Judged.of(file).equals(judged) && granted.contains(new Granted(caller, access));
    }

    /** Notes that the caller may open the file as it is in {@code file}, which was read before the kernel was asked. */
    synchronized void note(Caller caller, OpenAccess access, Statx file) {
        if (clock.instant().getEpochSecond() - file.changeSeconds() < SETTLED_SECONDS) {
            return;
        }
        Judged now = Judged.of(file);
        if (!now.equals(judged)) {
            granted.clear();
            judged = now;
        }
        Granted added = new Granted(caller, access);
        if (granted.contains(added)) {
            return;
        }
        if (granted.size() == MAX_KEPT) {
            granted.removeFirst();
        }
        granted.addLast(added);
    }
}
