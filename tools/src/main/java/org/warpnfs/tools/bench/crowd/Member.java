package org.warpnfs.tools.bench.crowd;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.tools.bench.load.Pattern;
import org.warpnfs.tools.bench.nfs.NfsException;
import org.warpnfs.tools.bench.nfs.NfsSession;

/**
 * One connection of a crowd and its file. It knows what each block of the file must hold. It waits for each call, so it
 * needs a thread of its own, which may be a virtual thread.
 */
final class Member {
    private static final int SLOT = 0;
    private static final Duration LATER = Duration.ofMillis(50);
    /**
     * Offsets in the pattern: the blocks of one file are so far apart that no version of one block equals a version of
     * another.
     */
    private static final int VERSIONS_BITS = 24;

    private static final int BLOCK_BITS = 10;

    /** Decodes a reply on the connection's thread. The reply is valid only during the call. */
    private interface Decoder {
        void decode(XdrStream reply, List<ByteBuffer> written) throws IOException;
    }

    /** A call that may have to be repeated. */
    private interface Call {
        void make() throws IOException;
    }

    private final int number;
    private final String name;
    private final Requester requester;
    private final NfsSession session;
    private final CrowdOptions options;
    private final Pattern pattern;
    private final Tally tally;
    private final SplittableRandom random;
    private final ByteBuffer data;
    private final int[] versions;
    private long sizeBytes;

    Member(
            int number,
            String name,
            Requester requester,
            NfsSession session,
            CrowdOptions options,
            Pattern pattern,
            Tally tally) {
        this.number = number;
        this.name = name;
        this.requester = requester;
        this.session = session;
        this.options = options;
        this.pattern = pattern;
        this.tally = tally;
        this.random = new SplittableRandom(number);
        this.data = ByteBuffer.allocateDirect(options.blockBytes());
        this.versions = new int[options.blocks()];
    }

    /** Creates the file and writes its first block. */
    void begin() throws IOException {
        again(() -> session.create(name));
        write(0);
    }

    /** Makes one call, chosen at random. */
    void step() throws IOException {
        int block = random.nextInt(versions.length);
        int draw = random.nextInt(100);
        if (draw < 35) {
            write(block);
        } else if (draw < 45) {
            commit();
        } else if (draw < 80) {
            read(versions[block] > 0 ? block : 0);
        } else if (draw < 90) {
            again(() -> {
                long size = session.sizeBytes();
                if (size != sizeBytes) {
                    tally.mismatch(name + " has " + size + " bytes instead of " + sizeBytes);
                }
            });
            tally.metadata.increment();
        } else {
            again(() -> session.open(name));
            tally.metadata.increment();
        }
    }

    /** Commits, verifies every block that was ever written, and removes the file. */
    void end() throws IOException {
        commit();
        for (int block = 0; block < versions.length; block++) {
            if (versions[block] > 0) {
                read(block);
            }
        }
        again(() -> session.remove(name));
        session.close();
    }

    private long inPattern(int block) {
        long place = ((long) number << BLOCK_BITS | block) << VERSIONS_BITS | versions[block];
        return place * options.blockBytes() & Long.MAX_VALUE;
    }

    private void write(int block) throws IOException {
        versions[block]++;
        data.clear();
        pattern.fill(data, inPattern(block));
        long offset = (long) block * options.blockBytes();
        again(() -> exchange(session.writeCall(SLOT, offset, data, false), ChunkOffer.NONE, (reply, written) -> {
            int count = session.writeReply(SLOT, reply);
            if (count != options.blockBytes()) {
                throw new IOException("WRITE of " + options.blockBytes() + " bytes took " + count);
            }
        }));
        sizeBytes = Math.max(sizeBytes, offset + options.blockBytes());
        tally.writes.increment();
    }

    private void read(int block) throws IOException {
        data.clear();
        long offset = (long) block * options.blockBytes();
        again(() -> exchange(
                session.readCall(SLOT, offset, options.blockBytes()), ChunkOffer.write(data), (reply, written) -> {
                    ByteBuffer got = session.readReply(SLOT, reply, written);
                    if (got.remaining() != options.blockBytes() || !pattern.matches(got, inPattern(block))) {
                        tally.mismatch(
                                "READ of " + name + " at " + offset + " brought something else than was written");
                    }
                }));
        tally.reads.increment();
    }

    private void commit() throws IOException {
        again(session::commit);
        tally.commits.increment();
    }

    private void exchange(RpcMessage call, ChunkOffer offer, Decoder decoder) throws IOException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        requester.call(call, offer, System.nanoTime() + options.timeout().toNanos(), new ReplyHandler() {
            @Override
            public void replied(XdrStream reply, List<ByteBuffer> written) {
                try {
                    decoder.decode(reply, written);
                    done.complete(null);
                } catch (IOException | RuntimeException e) {
                    done.completeExceptionally(e);
                }
            }

            @Override
            public void failed(RequestException why) {
                done.completeExceptionally(why);
            }
        });
        try {
            done.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** Makes a call and repeats it as long as the server asks to try again later. */
    private void again(Call call) throws IOException {
        long begin = System.nanoTime();
        while (true) {
            try {
                call.make();
                return;
            } catch (NfsException e) {
                if (!e.tryAgain()
                        || System.nanoTime() - begin > options.timeout().toNanos()) {
                    throw e;
                }
                tally.repeated.increment();
                pause(LATER);
            }
        }
    }

    /** Sleeps for that time. */
    static void pause(Duration duration) throws InterruptedIOException {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }
}
