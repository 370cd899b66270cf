package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.limits.FpduSize;
import org.warpnfs.server.config.ByteSize;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.tools.iwarp.ClientPlan;
import org.warpnfs.tools.iwarp.HostText;
import org.warpnfs.tools.iwarp.PingText;
import org.warpnfs.tools.iwarp.ServerPlan;
import org.warpnfs.tools.iwarp.Summary;
import org.warpnfs.tools.iwarp.TestClient;
import org.warpnfs.tools.iwarp.TestFailure;
import org.warpnfs.tools.iwarp.TestKind;
import org.warpnfs.tools.iwarp.TestOperation;
import org.warpnfs.tools.iwarp.TestServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The common part of the tests of {@code warpnfs iwarp}: it turns options into a plan, runs the plan and prints its
 * result.
 */
abstract sealed class IwarpTestCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_DEPTH = 4096;
    private static final int MIN_RECEIVES = 3;
    private static final long MAX_SIZE_BYTES = 1 << 30;
    private static final int MAX_CONNECTIONS = 1024;
    private static final int DAY_SECONDS = 86_400;

    /** The most private data that Linux' connection managers accept, beside the MPA block of RFC 6581. */
    private static final int MAX_REJECT_BYTES = 252;

    /** {@code warpnfs iwarp ping}. */
    @Command(
            name = "ping",
            description =
                    "Lets a server read a text from this client's memory by RDMA Read and write it back by RDMA Write, "
                            + "and compares. Works with rping: 'rping -s -S SIZE' as the server, 'rping -c' as "
                            + "the client.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class Ping extends IwarpTestCommand {
        Ping() {
            super(TestKind.PING, "64", 64 << 10, 10);
        }
    }

    /** {@code warpnfs iwarp read-bw}. */
    @Command(
            name = "read-bw",
            description = "Reads from a server's memory by RDMA Read. Works with ib_read_bw -R. "
                    + "Latencies are from the request to the last byte, including the wait in the queue.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class ReadBw extends IwarpTestCommand {
        ReadBw() {
            super(TestKind.READ_BW, "64k", 8 << 20, 1000);
        }
    }

    /** {@code warpnfs iwarp write-bw}. */
    @Command(
            name = "write-bw",
            description = "Writes to a server's memory by RDMA Write. Works with ib_write_bw -R. "
                    + "As with ib_write_bw, a Write counts when its last byte was passed to TCP; at the end a "
                    + "warpnfs server confirms that all data have arrived.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class WriteBw extends IwarpTestCommand {
        WriteBw() {
            super(TestKind.WRITE_BW, "64k", 8 << 20, 1000);
        }
    }

    /** {@code warpnfs iwarp send-lat}. */
    @Command(
            name = "send-lat",
            description = "Sends a message to a server, waits for one of the same size, and repeats this. Works with "
                    + "ib_send_lat -R. "
                    + "Latencies are half of the round trip.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class SendLat extends IwarpTestCommand {
        SendLat() {
            super(TestKind.SEND_LAT, "2", 8 << 20, 1000);
        }
    }

    /** {@code warpnfs iwarp send-bw}. */
    @Command(
            name = "send-bw",
            description = "Sends messages to a server, no more than it has receives for. Works with ib_send_bw -R. "
                    + "As with ib_send_bw, a Send counts when its last byte was passed to TCP; at the end a "
                    + "warpnfs server confirms that all data have arrived.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class SendBw extends IwarpTestCommand {
        SendBw() {
            super(TestKind.SEND_BW, "64k", 8 << 20, 1000);
        }
    }

    /** {@code warpnfs iwarp atomic-lat}. */
    @Command(
            name = "atomic-lat",
            description = "Counts in a word of a server's memory by the atomic operations of RFC 7306, one at a time, "
                    + "and compares what each has found. Speaks the protocol of ib_atomic_lat -R; Linux has no iWARP "
                    + "device with atomic operations to try it with. Latencies are of the round trip.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            sortOptions = false)
    static final class AtomicLat extends IwarpTestCommand {
        AtomicLat() {
            super(TestKind.ATOMIC_LAT, "8", 8, 1000);
        }
    }

    /** The operations of {@code --atomic}; the command line has their names with a hyphen. */
    enum AtomicKind {
        FETCH_ADD,
        COMPARE_SWAP;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final TestKind kind;
    private final String clientSize;
    private final int serverSize;
    private final long defaultCount;

    private IwarpTestCommand(TestKind kind, String clientSize, int serverSize, long defaultCount) {
        this.kind = kind;
        this.clientSize = clientSize;
        this.serverSize = serverSize;
        this.defaultCount = defaultCount;
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "HOST", arity = "0..1", description = "The server to test.")
    private @Nullable String host;

    @Option(names = "--server", description = "Be the server, until stopped, instead of testing a HOST.")
    private boolean server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "The server's port. Default: that of rping (7174) or perftest (18515). For a server 0 means "
                    + "any free port.")
    private @Nullable Integer port;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            description = "Bytes of a message; not with atomic-lat or --immediate, whose messages have 8. "
                    + "Default: 64 for ping, 2 for send-lat, else 64k. For a server the largest "
                    + "message, default 64k for ping, else 8m. Give perftest at the other end the same "
                    + "size with -s.")
    private @Nullable String size;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "Messages, or pings of each connection. Default: 10 pings, else 1000. Give a perftest server "
                    + "the same number with -n. With ping, 0 only connects and disconnects.")
    private @Nullable Long count;

    @Option(
            names = {"-t", "--seconds"},
            paramLabel = "SECONDS",
            description = "How long to test, instead of a count. Not with a perftest or rping server.")
    private @Nullable Integer seconds;

    @Option(
            names = {"-d", "--depth"},
            paramLabel = "N",
            description = "Messages in flight; RDMA Reads at most as many as the server answers at once. "
                    + "Default: 128. "
                    + "For a server the number of posted receives, default 512, which perftest clients expect.")
    private @Nullable Integer depth;

    @Option(names = "--connections", paramLabel = "N", description = "For ping: simultaneous connections. Default: 1.")
    private int connections = 1;

    @Option(
            names = {"-A", "--atomic"},
            paramLabel = "fetch-add|compare-swap",
            description = "For atomic-lat: the operation. Default: fetch-add.")
    private @Nullable AtomicKind atomic;

    @Option(
            names = "--immediate",
            description = "For send-lat: Immediate Data (RFC 7306) instead of Sends, every second one with Solicited "
                    + "Event. A perftest server does not support it.")
    private boolean immediate;

    @Option(
            names = "--crc",
            paramLabel = "off|preferred|required",
            description = "Whether to ask for a CRC in each FPDU: never, as a client, always. A CRC is used if either "
                    + "end asks. " + "Default: off.")
    private CrcPolicy crc = CrcPolicy.OFF;

    @Option(
            names = "--fpdu",
            paramLabel = "mss|16k|64k",
            description = "How long the FPDUs (frames) that are sent may be: as the segments of TCP, or longer, which "
                    + "Linux' siw takes and adapters may not. Default: mss.")
    private FpduSize fpdus = FpduSize.MSS;

    @Option(
            names = "--markers",
            description = "Ask the other end to send MPA markers. Linux' siw does not support them.")
    private boolean markers;

    @Option(
            names = "--peer-to-peer",
            description = "Connect in the peer-to-peer mode of RFC 6581, in which either end may send first.")
    private boolean peerToPeer;

    @Option(
            names = "--rtr",
            paramLabel = "write|fpdu|send|read",
            split = ",",
            description = "The kinds of RTR that may begin a peer-to-peer connection, a list. Default: any.")
    private @Nullable List<RtrKind> rtr;

    @Option(
            names = "--mpa-revision",
            paramLabel = "1|2",
            description = "Highest revision of MPA: RFC 5044 or RFC 6581. Default: 2, and 1 if the other end does not "
                    + "support 2.")
    private int revision = MpaFrame.REVISION_2;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Interval of progress lines. Default: 1. 0 for none.")
    private int interval = 1;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "How long the other end may be silent before the test fails. Default: 30. A perftest server does "
                            + "not see Reads and Writes: once they have begun, it waits as long as its client "
                            + "is connected.")
    private int timeout = 30;

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            description = "For a server: the address to listen on. Default: all.")
    private @Nullable String listen;

    @Option(
            names = "--once",
            description = "For a server: exit after the first client, with status 1 if its test failed.")
    private boolean once;

    @Option(
            names = "--reject",
            paramLabel = "TEXT",
            description = "For a server: reject every connection, with TEXT as private data.")
    private @Nullable String reject;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        if (server == (host != null)) {
            throw new ParameterException(
                    command.commandLine(), server ? "--server with a HOST" : "no HOST and no --server");
        }
        return server ? serve(out) : test(out, Objects.requireNonNull(host));
    }

    private int test(PrintWriter out, String name) throws ConfigException, InterruptedException {
        if (listen != null || once || reject != null) {
            throw wrong("--listen, --once and --reject are for a --server");
        }
        if (kind != TestKind.PING && connections != 1) {
            throw wrong("--connections is for ping");
        }
        if (size != null && immediate) {
            throw wrong("--size does not go with --immediate");
        }
        ClientPlan plan = new ClientPlan(
                kind,
                new InetSocketAddress(
                        resolve(name), within("--port", port == null ? kind.defaultPort() : port, 1, MAX_PORT)),
                immediate
                        ? TestOperation.WORD_BYTES
                        : sizeBytes(clientSize, kind == TestKind.PING ? PingText.MIN_BYTES : 1),
                messages(),
                seconds == null ? 0 : within("--seconds", seconds, 1, DAY_SECONDS),
                within("--depth", depth == null ? 128 : depth, 1, MAX_DEPTH),
                512,
                within("--connections", connections, 1, MAX_CONNECTIONS),
                within("--timeout", timeout, 1, DAY_SECONDS),
                mpa(),
                fpdus,
                operation());
        try {
            Summary summary =
                    TestClient.run(plan, within("--interval", interval, 0, DAY_SECONDS), line -> say(out, line));
            summary.lines().forEach(line -> say(out, line));
            return 0;
        } catch (TestFailure e) {
            throw new ConfigException(kind.word() + " " + name + ": " + e.getMessage(), e);
        }
    }

    private TestOperation operation() {
        if (atomic != null && kind != TestKind.ATOMIC_LAT) {
            throw wrong("--atomic is for atomic-lat");
        }
        if (immediate && kind != TestKind.SEND_LAT) {
            throw wrong("--immediate is for send-lat");
        }
        if (kind == TestKind.ATOMIC_LAT) {
            return atomic == AtomicKind.COMPARE_SWAP ? TestOperation.COMPARE_SWAP : TestOperation.FETCH_ADD;
        }
        return immediate ? TestOperation.IMMEDIATE : TestOperation.PLAIN;
    }

    private long messages() {
        long value = count == null ? defaultCount : count;
        long least = kind == TestKind.PING ? 0 : 1;
        if (value < least) {
            throw wrong("--count " + value + ": below " + least);
        }
        return value;
    }

    private int serve(PrintWriter out) throws ConfigException, InterruptedException {
        if (count != null || seconds != null || connections != 1 || atomic != null || immediate) {
            throw wrong("--count, --seconds, --connections, --atomic and --immediate are for a client");
        }
        if (once && reject != null) {
            throw wrong("--once with --reject: no client has a test to end with");
        }
        if (reject != null && reject.getBytes(StandardCharsets.UTF_8).length > MAX_REJECT_BYTES) {
            throw wrong("--reject: more than " + MAX_REJECT_BYTES + " bytes");
        }
        InetSocketAddress address = address();
        ServerPlan plan = new ServerPlan(
                kind,
                address,
                sizeBytes(Integer.toString(serverSize), kind == TestKind.PING ? PingText.MIN_BYTES : 1),
                within("--depth", depth == null ? 512 : depth, MIN_RECEIVES, MAX_DEPTH),
                once,
                reject,
                within("--timeout", timeout, 1, DAY_SECONDS),
                mpa(),
                fpdus);
        try (TestServer tests = TestServer.start(plan, line -> say(out, line))) {
            say(out, kind.word() + " server at " + HostText.of(tests.localAddress()));
            say(out, "ready");
            CompletableFuture<Boolean> end = once ? tests.firstClient() : new CompletableFuture<>();
            Thread hook = new Thread(() -> stop(tests), "iwarp-test-stop");
            Runtime.getRuntime().addShutdownHook(hook);
            boolean well = end.get();
            Runtime.getRuntime().removeShutdownHook(hook);
            return well ? 0 : Main.FAILURE;
        } catch (IOException e) {
            throw new ConfigException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs as a shutdown hook, so that a stop ends cleanly with exit status 0. */
    private static void stop(TestServer tests) {
        int status = Main.FAILURE;
        try {
            tests.close();
            status = 0;
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private MpaChoices mpa() {
        MpaChoices choices = MpaChoices.defaults()
                .withCrcPolicy(crc)
                .withMarkers(markers)
                .withPeerToPeer(peerToPeer)
                .withRevision(within("--mpa-revision", revision, MpaFrame.REVISION_1, MpaFrame.REVISION_2), true);
        return rtr == null || rtr.isEmpty() ? choices : choices.withRtrKinds(EnumSet.copyOf(rtr));
    }

    private int sizeBytes(String byDefault, int least) {
        if (size != null && kind == TestKind.ATOMIC_LAT) {
            throw wrong("--size is not for atomic-lat");
        }
        long bytes;
        try {
            bytes = ByteSize.parse("--size", size == null ? byDefault : size);
        } catch (ConfigException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        if (bytes < least || bytes > MAX_SIZE_BYTES) {
            throw wrong("--size " + size + ": not within " + least + ".." + MAX_SIZE_BYTES);
        }
        return (int) bytes;
    }

    private InetSocketAddress address() throws ConfigException {
        int number = within("--port", port == null ? kind.defaultPort() : port, 0, MAX_PORT);
        return listen == null ? new InetSocketAddress(number) : new InetSocketAddress(resolve(listen), number);
    }

    private static InetAddress resolve(String name) throws ConfigException {
        try {
            return InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new ConfigException(name + ": no such host", e);
        }
    }

    /** Returns an error in the command line. */
    private ParameterException wrong(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }

    private int within(String option, int value, int min, int max) {
        try {
            return OptionRange.within(option, value, min, max);
        } catch (ConfigException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Prints a line; also called on the owner threads of connections. */
    private static void say(PrintWriter out, String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
