package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.nlm.PeerCall;

/**
 * Calls that wait for one of a few threads.
 *
 * <h2>Operation</h2>
 *
 * Calls to one host come one after the other. The hosts of one client, which in IPv6 has a whole network, hold half of
 * the threads at most. Clients take turns, and so do the hosts of one.
 *
 * <h2>Errors</h2>
 *
 * A call fails at once if there is no room for it. Safe for any thread.
 */
final class PeerLine implements AutoCloseable {
    /** Makes one call. May wait. */
    @FunctionalInterface
    interface Exchange {
        ByteBuffer of(PeerCall call) throws IOException;
    }

    private final int mostAtOnce;
    private final int mostOfClient;
    private final int most;
    private final int mostOfHost;
    private final Exchange exchange;
    private final ExecutorService threads;

    /** Clients with calls, the next one first. Guarded by this, like what follows. */
    private final Map<ClientAddress, Client> clients = new LinkedHashMap<>();

    private int count;
    private int running;

    private record Asked(PeerCall call, CompletableFuture<ByteBuffer> answer) {}

    private static final class Client {
        /** The calls of each host that have not begun, the next host first. */
        private final Map<InetAddress, Queue<Asked>> waiting = new LinkedHashMap<>();

        private final Set<InetAddress> called = new HashSet<>();
    }

    /**
     * Makes the threads.
     *
     * @param mostAtOnce number of threads
     * @param most calls that wait or run
     * @param mostOfHost the same of one host
     */
    PeerLine(String name, int mostAtOnce, int most, int mostOfHost, Exchange exchange) {
        this.mostAtOnce = mostAtOnce;
        this.mostOfClient = Math.max(1, mostAtOnce / 2);
        this.most = most;
        this.mostOfHost = mostOfHost;
        this.exchange = exchange;
        this.threads = Executors.newFixedThreadPool(
                mostAtOnce, Thread.ofPlatform().daemon().name(name, 0).factory());
    }

    CompletionStage<ByteBuffer> call(PeerCall call) {
        Asked asked = new Asked(call, new CompletableFuture<>());
        synchronized (this) {
            Client client = clients.computeIfAbsent(ClientAddress.of(call.host()), _ -> new Client());
            Queue<Asked> queue = client.waiting.get(call.host());
            int ofHost = (queue == null ? 0 : queue.size()) + (client.called.contains(call.host()) ? 1 : 0);
            if (count >= most || ofHost >= mostOfHost) {
                forgetIfIdle(call.host(), client);
                return CompletableFuture.failedFuture(new IOException("too many calls to it wait already"));
            }
            count++;
            client.waiting
                    .computeIfAbsent(call.host(), _ -> new ArrayDeque<>(1))
                    .add(asked);
        }
        begin();
        return asked.answer();
    }

    /** Begins what may begin now. */
    private void begin() {
        Asked next = next();
        while (next != null) {
            Asked begun = next;
            try {
                threads.execute(() -> make(begun));
            } catch (RejectedExecutionException e) {
                ended(begun);
                begun.answer().completeExceptionally(new IOException("the server ends"));
            }
            next = next();
        }
    }

    private synchronized @Nullable Asked next() {
        if (running >= mostAtOnce) {
            return null;
        }
        for (Map.Entry<ClientAddress, Client> entry : clients.entrySet()) {
            Client client = entry.getValue();
            Asked next = client.called.size() < mostOfClient ? next(client) : null;
            if (next != null) {
                running++;
                clients.remove(entry.getKey());
                clients.put(entry.getKey(), client);
                return next;
            }
        }
        return null;
    }

    private static @Nullable Asked next(Client client) {
        for (Iterator<Map.Entry<InetAddress, Queue<Asked>>> hosts =
                        client.waiting.entrySet().iterator();
                hosts.hasNext(); ) {
            Map.Entry<InetAddress, Queue<Asked>> host = hosts.next();
            InetAddress address = host.getKey();
            if (!client.called.contains(address)) {
                Queue<Asked> queue = host.getValue();
                Asked next = queue.remove();
                client.called.add(address);
                hosts.remove();
                if (!queue.isEmpty()) {
                    client.waiting.put(address, queue);
                }
                return next;
            }
        }
        return null;
    }

    private void make(Asked asked) {
        try {
            asked.answer().complete(exchange.of(asked.call()));
        } catch (IOException | RuntimeException e) {
            asked.answer().completeExceptionally(e);
        } finally {
            ended(asked);
            begin();
        }
    }

    private synchronized void ended(Asked asked) {
        InetAddress host = asked.call().host();
        Client client = clients.get(ClientAddress.of(host));
        count--;
        running--;
        if (client != null) {
            client.called.remove(host);
            forgetIfIdle(host, client);
        }
    }

    private void forgetIfIdle(InetAddress host, Client client) {
        if (client.waiting.isEmpty() && client.called.isEmpty()) {
            clients.remove(ClientAddress.of(host));
        }
    }

    /** Number of calls that wait or run. */
    synchronized int count() {
        return count;
    }

    /** Calls that have not begun never end. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
