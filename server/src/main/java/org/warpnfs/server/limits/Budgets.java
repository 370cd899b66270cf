package org.warpnfs.server.limits;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.nfs.nlm.NlmLimits;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.sockets.PieceWriter;

/**
 * Fits the limits to the resources of the process, before anything is opened.
 *
 * <h2>Operation</h2>
 *
 * Four resources are compared with the limits: the Java heap, direct memory, descriptors, and the container's memory,
 * which contains the first two and the virtual machine itself. If there is not enough, limits are lowered in this
 * order: payload memory, records and receive buffers, connections (each begins with receive buffers), files in memory;
 * on the heap, of which a fifth stays spare, replies, then locks of NLM, NFSv4 opens and locks, and NFSv4 clients.
 * {@link Plan#line()} says how much of each resource is used, and what was cut.
 *
 * <h2>Errors</h2>
 *
 * If the minimum does not fit, the server does not start: one line says what is too small and which flag changes it.
 */
public final class Budgets {
    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;
    /** Fewer connections over each transport are not worth a server. */
    private static final int LEAST_CONNECTIONS = 16;

    private static final int WORKING_CONNECTIONS = 256;
    /** Sockets of callbacks to NFSv4.0 clients, of listeners and of event loops. */
    private static final int MOST_OTHER_SOCKETS = 320;
    /** A frame or record that is arriving, over each transport. */
    private static final long BYTES_OF_CONNECTION = 2 * 64 * KIB;
    /** The header space that iWARP keeps: 2048 pieces of 8 KiB. */
    private static final long HEADER_SPACE_BYTES = 16 * MIB;
    /** Netty's arenas, and the read buffers of all event loops. */
    private static final long NETTY_BYTES = 32 * MIB;
    /** The header space, pieces of file ranges that carry CRCs, and Netty's memory except TCP records. */
    private static final long OTHER_DIRECT_BYTES = HEADER_SPACE_BYTES + PieceWriter.PIECES_BYTES + NETTY_BYTES;
    /** Code, classes and stacks. */
    private static final long VIRTUAL_MACHINE_BYTES = 96 * MIB;
    /** A fifth of the heap is spare: the collector needs it, and objects that live for one call. */
    private static final int SPARE_PART = 5;
    /** Objects of the programs, and of the maximum of connections and calls. */
    private static final long OTHER_HEAP_BYTES = 32 * MIB;
    /**
     * The handle table of a local file system may use an eighth of the heap; the names and attributes of files in
     * memory may use a quarter.
     */
    private static final int HANDLES_PART = 8;

    private static final int NAMES_PART = 4;

    /**
     * What the server shall have.
     *
     * @param limits the configured limits, including payload memory
     * @param readReplies whether replies are exposed to RDMA clients
     * @param localExports exported directories of the host
     * @param memoryExports file systems in memory
     * @param memoryExportBytes the capacity of each file system in memory
     * @param lendsPages whether these lend pages, which takes memory beside their capacity
     */
    public record Wanted(
            ServerLimits limits,
            boolean readReplies,
            int localExports,
            int memoryExports,
            long memoryExportBytes,
            boolean lendsPages) {
        private long filesInMemoryBytes() {
            long each = lendsPages ? MemoryFileSystem.mostBytes(memoryExportBytes) : memoryExportBytes;
            return memoryExports * each;
        }

        private long capacityWithin(long bytes) {
            return lendsPages ? MemoryFileSystem.capacityWithin(bytes) : bytes;
        }
    }

    /**
     * What the server can have.
     *
     * @param limits the limits that fit
     * @param nlm the limits of NLM that fit
     * @param heapBytes the sum of all that may be on the heap
     * @param memoryExportBytes the capacity of each file system in memory
     * @param nettyBytes the direct memory that remains for Netty, which holds TCP records; see {@link NettyMemory}
     * @param line a line of text: how much of each resource is used
     */
    public record Plan(
            ServerLimits limits, NlmLimits nlm, long heapBytes, long memoryExportBytes, long nettyBytes, String line) {}

    private final ServerLimits limits;
    private final Wanted wanted;
    private final Machine machine;
    private final List<String> less = new ArrayList<>();

    private Budgets(Wanted wanted, Machine machine) {
        this.limits = wanted.limits();
        this.wanted = wanted;
        this.machine = machine;
    }

    /**
     * Fits the configured limits to the resources.
     *
     * @throws ConfigException if the minimum does not fit
     */
    public static Plan plan(Wanted wanted, Machine machine) throws ConfigException {
        return new Budgets(wanted, machine).plan();
    }

    private Plan plan() throws ConfigException {
        int descriptorConnections = connectionsWithinDescriptors();

        Budget direct = new Budget(OTHER_DIRECT_BYTES);
        Budget.Part payload = direct.part("payload memory", limits.memory().payloadBytes(), 64 * MIB, 8 * MIB);
        Budget.Part records = direct.part("TCP records", limits.tcp().recordMemoryBytes(), 64 * MIB, 8 * MIB);
        long bufferBytes = limits.rdma().inlineBytes();
        long firstBytes = LayerLimits.responder(limits, wanted.readReplies()).firstReceives() * bufferBytes;
        Budget.Part receives = direct.part(
                "RDMA receive buffers",
                limits.rdma().receiveBuffers() * bufferBytes,
                Math.max(64 * MIB, descriptorConnections * firstBytes),
                16 * MIB);
        Budget.Part frames = direct.part(
                "connections",
                descriptorConnections * BYTES_OF_CONNECTION,
                WORKING_CONNECTIONS * BYTES_OF_CONNECTION,
                LEAST_CONNECTIONS * BYTES_OF_CONNECTION);
        Budget.Part files =
                direct.part("files in memory", wanted.filesInMemoryBytes(), machine.directBytes() / 2, 16 * MIB);
        if (!direct.fit(machine.directBytes())) {
            throw new ConfigException("direct memory of " + mib(machine.directBytes()) + " MiB is below the minimum, "
                    + mib(direct.leastBytes()) + " MiB: raise -XX:MaxDirectMemorySize (or -Xmx, which it follows)");
        }
        long containerRoom = machine.containerBytes() - machine.heapBytes() - VIRTUAL_MACHINE_BYTES;
        if (!direct.fit(containerRoom)) {
            throw new ConfigException("the container's memory of " + mib(machine.containerBytes())
                    + " MiB is too small for a Java heap of " + mib(machine.heapBytes()) + " MiB and at least "
                    + mib(direct.leastBytes() + VIRTUAL_MACHINE_BYTES)
                    + " MiB beside it: raise the container's memory, or lower -Xmx");
        }

        StateLimits state = LayerLimits.state(limits, limits.memory().transferBytes());
        long stateReplies = limits.state().keptRepliesBytes();
        Budget heap = new Budget(OTHER_HEAP_BYTES + heapOfFileSystems(files.bytes()));
        Budget.Part replies = heap.part("RDMA replies", limits.rdma().replyBytes(), 32 * MIB, 4 * MIB);
        Budget.Part untaken = heap.part("TCP replies", limits.tcp().unsentBytesOfAll(), 32 * MIB, 4 * MIB);
        Budget.Part exposed = heap.part(
                "exposed replies", wanted.readReplies() ? limits.rdma().exposedBytesOfAll() : 0, 32 * MIB, 8 * MIB);
        Budget.Part kept = heap.part("kept replies", limits.memory().keptReplyBytes(), 8 * MIB, 2 * MIB);
        Budget.Part keptBySlots = heap.part("replies kept by sessions", stateReplies, 8 * MIB, MIB);
        long nlmBytes = NlmLimits.DEFAULT.heapBytes();
        Budget.Part nlm = heap.part("NLM locks", nlmBytes, nlmBytes / 8, nlmBytes / 64);
        long fileBytes = state.fileBytes();
        long clientBytes = state.clientBytes();
        Budget.Part fileStates = heap.part("NFSv4 opens and locks", fileBytes, fileBytes / 8, fileBytes / 256);
        Budget.Part clients = heap.part("NFSv4 clients", clientBytes, clientBytes / 8, clientBytes / 64);
        if (!heap.fit(machine.heapBytes() - machine.heapBytes() / SPARE_PART)) {
            throw new ConfigException("a Java heap of " + mib(machine.heapBytes()) + " MiB is below the minimum, "
                    + mib(heap.leastBytes() * SPARE_PART / (SPARE_PART - 1)) + " MiB: raise -Xmx");
        }

        int connections = (int) Math.min(
                descriptorConnections, Math.min(frames.bytes() / BYTES_OF_CONNECTION, receives.bytes() / firstBytes));
        int idleFiles = Math.min(limits.memory().idleFiles(), Math.max(1, machine.descriptorsForFiles() / 2));
        int mostOpens = wanted.localExports() == 0 ? Integer.MAX_VALUE : machine.descriptorsForFiles();
        ServerLimits fitting = new ServerLimits(
                limits.connections().of(connections),
                limits.deadlines(),
                limits.streams(),
                limits.rdma()
                        .withReceiveBuffers(receives.bytes() / bufferBytes)
                        .withReplyBytes(
                                replies.bytes(),
                                wanted.readReplies()
                                        ? exposed.bytes()
                                        : limits.rdma().exposedBytesOfAll()),
                limits.tcp().with(records.bytes(), untaken.bytes()),
                limits.memory().with(payload.bytes(), kept.bytes(), idleFiles),
                limits.state()
                        .scaled(
                                (double) fileStates.bytes() / fileBytes,
                                (double) clients.bytes() / clientBytes,
                                keptBySlots.bytes(),
                                mostOpens));
        long othersBytes = payload.bytes() + receives.bytes() + files.bytes() + frames.bytes() / 2;
        long nettyBytes =
                Math.min(machine.directBytes(), containerRoom) - othersBytes - OTHER_DIRECT_BYTES + NETTY_BYTES;
        return new Plan(
                fitting,
                NlmLimits.DEFAULT.scaled((double) nlm.bytes() / nlmBytes),
                heap.takenBytes(),
                memoryExportBytes(files),
                nettyBytes,
                line(fitting, direct, heap));
    }

    private long memoryExportBytes(Budget.Part files) {
        if (wanted.memoryExports() == 0) {
            return 0;
        }
        return files.bytes() == files.wantedBytes()
                ? wanted.memoryExportBytes()
                : wanted.capacityWithin(files.bytes() / wanted.memoryExports());
    }

    private int connectionsWithinDescriptors() throws ConfigException {
        int sockets = machine.descriptorsForConnections();
        int forEach = (sockets - Math.min(MOST_OTHER_SOCKETS, sockets / 4)) / 2;
        if (forEach < LEAST_CONNECTIONS) {
            throw new ConfigException("the process may open only " + machine.descriptors()
                    + " descriptors, which is too few for " + LEAST_CONNECTIONS
                    + " connections over RDMA and over TCP each: raise ulimit -n (LimitNOFILE) to at least 256");
        }
        return Math.min(limits.connections().most(), forEach);
    }

    private long heapOfFileSystems(long filesInMemoryBytes) {
        long names = wanted.memoryExports() == 0 ? 0 : Math.min(filesInMemoryBytes, machine.heapBytes() / NAMES_PART);
        long handles = wanted.localExports() == 0 ? 0 : machine.heapBytes() / HANDLES_PART;
        return names + handles;
    }

    private String line(ServerLimits fitting, Budget direct, Budget heap) {
        for (Budget budget : List.of(direct, heap)) {
            for (Budget.Part part : budget.cutParts()) {
                if (!part.name().equals("connections")) {
                    less.add(part.name() + " " + mib(part.bytes()) + " of " + mib(part.wantedBytes()) + " MiB");
                }
            }
        }
        smaller(
                "connections of each",
                fitting.connections().most(),
                limits.connections().most());
        smaller("opens", fitting.state().opens(), limits.state().opens());
        smaller("idle files", fitting.memory().idleFiles(), limits.memory().idleFiles());
        return "limits  " + fitting.connections().most() + " connections over RDMA and over TCP each; heap "
                + mib(heap.takenBytes()) + " of " + mib(machine.heapBytes()) + " MiB; direct memory "
                + mib(direct.takenBytes()) + " of " + mib(machine.directBytes()) + " MiB; descriptors "
                + machine.descriptorsForConnections() + " for connections and " + machine.descriptorsForFiles()
                + " for files of " + machine.descriptors() + "; container "
                + (machine.containerBytes() == ContainerMemory.UNLIMITED
                        ? "without a limit"
                        : mib(machine.containerBytes()) + " MiB")
                + (less.isEmpty() ? "" : "; less than usual: " + String.join(", ", less));
    }

    private void smaller(String what, int taken, int usual) {
        if (taken < usual) {
            less.add(what + " " + taken + " of " + usual);
        }
    }

    private static long mib(long bytes) {
        return (bytes + MIB - 1) / MIB;
    }
}
