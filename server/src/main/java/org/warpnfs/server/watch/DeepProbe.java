package org.warpnfs.server.watch;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import org.warpnfs.tools.bench.nfs.CallBuffer;
import org.warpnfs.tools.bench.nfs.NfsException;
import org.warpnfs.tools.bench.nfs.ReplyWords;

/**
 * Probes the server as a client does: NULL, and GETATTR of the root, over TCP and over RDMA.
 *
 * <p>The calls use NFSv4.0, which needs no session and so leaves no state behind. A server may export nothing to its
 * own host; its refusal then counts as success, since the calls went all the way. One probe runs at a time; concurrent
 * and directly following requests get its result.
 */
final class DeepProbe {
    private static final int PROGRAM = 100_003;
    private static final int VERSION = 4;
    private static final int NULL = 0;
    private static final int COMPOUND = 1;
    private static final int GETATTR = 9;
    private static final int PUTROOTFH = 24;
    /** Attribute 1, type, in a bitmap. */
    private static final int TYPE = 1 << 1;

    private static final int OK = 0;
    /** PERM, ACCESS, WRONGSEC: exported, but not to this host. */
    private static final Set<Integer> NOT_FOR_US = Set.of(1, 13, 10_016);

    private static final int MAX_REPLY_BYTES = 4096;
    private static final int MAX_TAG_BYTES = 1024;
    private static final int NOBODY = 65_534;
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable InetSocketAddress tcp;
    private final @Nullable InetSocketAddress rdma;
    /** The transports that are served, in words. */
    private final String over;

    private final Duration timeout;
    private @Nullable Verdict last;
    private long lastNanos;

    /**
     * @param tcp where the server listens; a wildcard address means the loopback; null if it serves nothing there
     * @param rdma as {@code tcp}
     * @param timeout the time limit of each call
     */
    DeepProbe(@Nullable InetSocketAddress tcp, @Nullable InetSocketAddress rdma, Duration timeout) {
        this.tcp = tcp == null ? null : reachable(tcp);
        this.rdma = rdma == null ? null : reachable(rdma);
        this.over = tcp == null ? "RDMA" : rdma == null ? "TCP" : "TCP and RDMA";
        this.timeout = timeout;
    }

    private static InetSocketAddress reachable(InetSocketAddress listening) {
        return listening.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), listening.getPort())
                : listening;
    }

    synchronized Verdict probe() {
        Verdict known = last;
        if (known == null || System.nanoTime() - lastNanos > FRESH_NANOS) {
            known = probeNow();
            last = known;
            lastNanos = System.nanoTime();
        }
        return known;
    }

    private Verdict probeNow() {
        // The requesters are closed first, since they close their connections on the transport's event loops.
        try (IwarpTransport iwarp = new IwarpTransport(
                        IwarpConfig.builder().eventLoopThreads(1).build());
                RpcRequesters requesters = new RpcRequesters(1)) {
            Verdict found = tcp == null
                    ? null
                    : ask(
                            "TCP",
                            requesters.overTcp(
                                    tcp,
                                    new TcpRequesterOptions(MAX_REPLY_BYTES, 1, 0),
                                    RetryPolicy.NONE,
                                    BackwardCalls.NONE));
            if (rdma == null || (found != null && !found.good())) {
                return Objects.requireNonNull(found);
            }
            return ask(
                    "RDMA",
                    requesters.overRdma(
                            iwarp.connector(), rdma, RequesterOptions.DEFAULT, RetryPolicy.NONE, BackwardCalls.NONE));
        }
    }

    private Verdict ask(String transport, Requester requester) {
        try (requester) {
            CallBuffer buffer = new CallBuffer();
            AuthSysCredential caller = new AuthSysCredential("probe", NOBODY, NOBODY);
            call(requester, buffer.begin(caller, PROGRAM, VERSION, NULL).message(1));
            ReplyWords reply = call(
                    requester,
                    buffer.begin(caller, PROGRAM, VERSION, COMPOUND)
                            .string("")
                            .word(0)
                            .word(2)
                            .word(PUTROOTFH)
                            .word(GETATTR)
                            .word(1)
                            .word(TYPE)
                            .message(2));
            int status = reply.word();
            if (status == OK) {
                reply.skip(reply.count(MAX_TAG_BYTES));
                return reply.word() == 2
                        ? Verdict.good("NULL and GETATTR answered over " + over)
                        : Verdict.bad("a COMPOUND over " + transport + " was answered only in part");
            }
            return NOT_FOR_US.contains(status)
                    ? Verdict.good("NULL answered over " + over + "; the root is not exported to this host")
                    : Verdict.bad("GETATTR of the root over " + transport + " failed with NFSv4 status " + status);
        } catch (TimeoutException e) {
            return Verdict.bad("no answer over " + transport + " within " + timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return Verdict.bad("no answer over " + transport + ": " + (cause == null ? e : cause).getMessage());
        } catch (NfsException e) {
            return Verdict.bad("over " + transport + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Verdict.bad("interrupted");
        }
    }

    private ReplyWords call(Requester requester, RpcMessage message)
            throws ExecutionException, TimeoutException, InterruptedException, NfsException {
        ByteBuffer reply = requester
                .call(message, ChunkOffer.NONE)
                .get(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .message();
        return ReplyWords.accepted(XdrStream.of(reply));
    }
}
