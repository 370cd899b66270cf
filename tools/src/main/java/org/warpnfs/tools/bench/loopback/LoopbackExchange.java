package org.warpnfs.tools.bench.loopback;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.warpnfs.sockets.SocketCalls;

/**
 * Exchanges requests and replies of given sizes over one loopback connection. The data go from memory to memory. Two
 * threads do nothing else.
 *
 * <p>It uses blocking calls of up to 1 MiB each and congestion control cubic.
 */
public final class LoopbackExchange {
    private static final int BUFFER_BYTES = 1 << 20;

    private final int requestBytes;
    private final int replyBytes;
    private final int depth;

    /**
     * The result of a run.
     *
     * @param exchanges number of exchanges that were completed
     * @param seconds length of the run
     */
    public record Result(long exchanges, double seconds) {
        public double perSecond() {
            return exchanges / seconds;
        }
    }

    /** @param depth requests in flight at once */
    public LoopbackExchange(int requestBytes, int replyBytes, int depth) {
        this.requestBytes = requestBytes;
        this.replyBytes = replyBytes;
        this.depth = depth;
    }

    /** Runs for that time. */
    public Result run(Duration duration) throws IOException {
        try (PosixSocket listening = PosixSocket.listen();
                PosixSocket client = PosixSocket.connect(listening.port());
                PosixSocket server = listening.accept()) {
            AtomicReference<IOException> failure = new AtomicReference<>();
            Thread answering = Thread.ofPlatform().name("loopback").start(() -> {
                try {
                    answer(server);
                } catch (IOException e) {
                    failure.set(e);
                }
            });
            Result result;
            try {
                result = ask(client, duration);
            } finally {
                client.shutDown();
                join(answering);
            }
            IOException why = failure.get();
            if (why != null) {
                throw why;
            }
            return result;
        }
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(PosixSocket server) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = SocketCalls.errno(arena);
            MemorySegment in = arena.allocate(BUFFER_BYTES);
            MemorySegment out = arena.allocate(Math.max(BUFFER_BYTES, replyBytes));
            long open = 0;
            for (long got = server.receive(in, errno); got > 0; got = server.receive(in, errno)) {
                open += got;
                sendTimes(server, out, replyBytes, open / requestBytes, errno);
                open %= requestBytes;
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).startsWith("send")) {
                throw e;
            }
            // The requesting side has ended the run.
        }
    }

    private Result ask(PosixSocket client, Duration duration) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = SocketCalls.errno(arena);
            MemorySegment in = arena.allocate(BUFFER_BYTES);
            MemorySegment out = arena.allocate(Math.max(BUFFER_BYTES, requestBytes));
            sendTimes(client, out, requestBytes, depth, errno);
            long begin = System.nanoTime();
            long now = begin;
            long exchanges = 0;
            long open = 0;
            while (now - begin < duration.toNanos()) {
                long got = client.receive(in, errno);
                if (got == 0) {
                    throw new IOException("the loopback connection ended");
                }
                open += got;
                long completed = open / replyBytes;
                open %= replyBytes;
                exchanges += completed;
                sendTimes(client, out, requestBytes, completed, errno);
                now = System.nanoTime();
            }
            return new Result(exchanges, (now - begin) / 1e9);
        }
    }

    /** Sends that many messages. Small ones leave together in one call, as from a program that batches. */
    private static void sendTimes(PosixSocket socket, MemorySegment out, int eachBytes, long times, MemorySegment errno)
            throws IOException {
        long left = times * eachBytes;
        while (left > 0) {
            long step = Math.min(left, out.byteSize());
            socket.send(out.asSlice(0, step), errno);
            left -= step;
        }
    }
}
