package org.warpnfs.nfs.nlm;

import com.google.common.hash.Hashing;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.stable.SummedText;

/**
 * What NSM keeps on stable storage: the server's state number, which is odd while it runs and grows by 2 with each
 * start (X/Open XNFS, section 11.2), and a text for each monitored client.
 *
 * <p>A client's text has four lines: its address, the address of this server that it uses, its name in hexadecimal, and
 * the state number of the instance in which it got or reclaimed a lock. The text {@code settled} has the number of the
 * latest instance in which the time to reclaim is over. Clients of lower numbers have lost what they had. Each text is
 * a {@link SummedText}.
 *
 * <p>Methods do I/O and return when it is on stable storage. Not safe for several threads on one client.
 */
final class NsmRecords {
    private static final Logger LOG = LoggerFactory.getLogger(NsmRecords.class);
    private static final int NAME_HASH_BYTES = 8;
    private static final String STATE = "state";
    private static final String SETTLED = "settled";
    private static final HexFormat HEX = HexFormat.of();

    private final @Nullable NsmStore store;
    private final int state;
    private final List<Monitored> before;
    private final int settled;

    /**
     * A monitored client.
     *
     * @param local the address of this server that it uses; null if it is not known
     * @param state the number of the instance in which it last got or reclaimed a lock
     */
    record Monitored(NlmHost host, @Nullable InetAddress local, int state) {}

    private NsmRecords(@Nullable NsmStore store, int state, List<Monitored> before, int settled) {
        this.store = store;
        this.state = state;
        this.before = before;
        this.settled = settled;
    }

    /**
     * Begins a new instance of the server.
     *
     * @param store null for a server whose locks nobody reclaims
     * @param most limit of clients; no more are read
     * @throws IOException if the store cannot be read or written; the message says what
     */
    static NsmRecords open(@Nullable NsmStore store, int most) throws IOException {
        if (store == null) {
            return new NsmRecords(null, 1, List.of(), 0);
        }
        int last = number(store, STATE, -1);
        // Two further, and odd whatever it was.
        int state = last + 2 | 1;
        NsmRecords records = new NsmRecords(store, state, read(store, most, last), number(store, SETTLED, 0));
        store.write(STATE, SummedText.of(Integer.toString(state)));
        return records;
    }

    private static int number(NsmStore store, String name, int ifMissing) throws IOException {
        Optional<String> text = store.read(name);
        String wrong;
        try {
            return text.isEmpty()
                    ? ifMissing
                    : Integer.parseInt(SummedText.read(text.get()).strip());
        } catch (NumberFormatException e) {
            wrong = "is not a number";
        } catch (IOException e) {
            wrong = String.valueOf(e.getMessage());
        }
        throw new IOException(
                store.place(name) + ": " + wrong + "; restore it, or remove it together with its directory");
    }

    private static List<Monitored> read(NsmStore store, int most, int last) throws IOException {
        List<Monitored> all = new ArrayList<>();
        for (Map.Entry<String, String> text : store.hosts(most).entrySet()) {
            Monitored host = parsed(text.getValue(), last);
            if (host == null) {
                LOG.warn("NSM: the record {} is damaged, so its client is not told of the restart", text.getKey());
            } else {
                all.add(host);
            }
        }
        return List.copyOf(all);
    }

    /** @param last the number of the instance before, of which a file of an older server is */
    private static @Nullable Monitored parsed(String text, int last) {
        try {
            List<String> lines = SummedText.read(text).lines().toList();
            if (lines.size() != 3 && lines.size() != 4) {
                return null;
            }
            InetAddress address = InetAddress.ofLiteral(lines.get(0));
            InetAddress local = lines.get(1).equals("-") ? null : InetAddress.ofLiteral(lines.get(1));
            String name = new String(HEX.parseHex(lines.get(2)), StandardCharsets.ISO_8859_1);
            int state = lines.size() == 3 ? last : Integer.parseInt(lines.get(3));
            return new Monitored(new NlmHost(address, name), local, state);
        } catch (IllegalArgumentException | IOException e) {
            return null;
        }
    }

    /** The number of this instance. */
    int state() {
        return state;
    }

    /** The clients that were monitored when the last instance ended. */
    List<Monitored> before() {
        return before;
    }

    /** True if the client may reclaim: nobody got a new lock since its last one was lost. */
    boolean mayReclaim(Monitored host) {
        return host.state() >= settled;
    }

    /** Writes that only clients of this instance may reclaim in the next. */
    void settle() throws IOException {
        if (store != null) {
            store.write(SETTLED, SummedText.of(Integer.toString(state)));
        }
    }

    /** Remembers a client of this instance. */
    void add(NlmHost host, @Nullable InetAddress address) throws IOException {
        if (store != null) {
            String local = address == null ? "-" : address.getHostAddress();
            store.addHost(
                    nameOf(host),
                    SummedText.of(host.address().getHostAddress()
                            + '\n'
                            + local
                            + '\n'
                            + HEX.formatHex(host.name().getBytes(StandardCharsets.ISO_8859_1))
                            + '\n'
                            + state
                            + '\n'));
        }
    }

    /** Forgets a client. It may be remembered again after a crash of the host. */
    void remove(NlmHost host) throws IOException {
        if (store != null) {
            store.removeHost(nameOf(host));
        }
    }

    private static String nameOf(NlmHost host) {
        byte[] hash = Hashing.sha256()
                .hashString(host.name(), StandardCharsets.ISO_8859_1)
                .asBytes();
        return HEX.formatHex(host.address().getAddress()) + "-" + HEX.formatHex(hash, 0, NAME_HASH_BYTES);
    }
}
