package org.warpnfs.iwarp.sim;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;

/** One run of two queue pairs. The seed determines what happens, and after each step all assertions are checked. */
final class Run implements Simulation.Tap {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);
    private static final int MAX_STEPS = 1_000_000;
    private static final int STALL_EVERY = 100;
    private static final int MAX_STALL_NANOS = 20_000_000;
    private static final Misdeed[] MISDEEDS = Misdeed.values();

    final Scenario scenario;
    final Coverage coverage;

    /** The number of steps, which is the time of all models. */
    int steps;

    /**
     * A byte was changed on the wire, so an end may wait for the rest of an FPDU that is shorter than its length field
     * says.
     */
    boolean stalledForGood;

    private final SplittableRandom random;
    private final Simulation simulation;
    private final End initiator;
    private final End responder;
    private final boolean tracing = Long.getLong("warpnfs.seed") != null;
    private boolean troubleMade;
    private boolean corrupting;
    private Misdeed misdeed;
    private boolean connectedAgain;
    private InetSocketAddress port;

    Run(long seed, Arenas arenas, Coverage coverage) {
        this.coverage = coverage;
        random = new SplittableRandom(seed);
        scenario = new Scenario(seed, random);
        simulation = new Simulation(seed, scenario.responder.config(), scenario.faults);
        simulation.tap(this);
        misdeed = MISDEEDS[random.nextInt(MISDEEDS.length)];
        initiator = end(true, arenas);
        responder = end(false, arenas);
        initiator.segments = new TcpSegments(initiator, random.split());
        responder.segments = new TcpSegments(responder, random.split());
        initiator.peer = responder;
        responder.peer = initiator;
        trace(() -> scenario.mode + " " + scenario.trouble + " " + misdeed + " " + scenario.faults);
    }

    private End end(boolean initiates, Arenas arenas) {
        Scenario.EndChoices choices = scenario.end(initiates);
        SharedReceiveQueue shared =
                choices.sharedReceives() ? simulation.rnic().createSharedReceiveQueue(4096, 4096) : null;
        return new End(
                this,
                initiates,
                arenas.take(initiates, choices.direct()),
                shared,
                simulation.rnic().createProtectionDomain(),
                new Program(scenario, random.split()));
    }

    void trace(Supplier<String> line) {
        if (tracing) {
            System.out.println(steps + " " + line.get());
        }
    }

    /** Whether the initiator itself sends something to open the stream. */
    boolean opens() {
        return scenario.mode.rtr() != null;
    }

    boolean opensWithSend() {
        return scenario.mode.sentRtr() == RtrKind.SEND;
    }

    void run() {
        coverage.see(scenario.mode);
        coverage.see(scenario.trouble);
        simulation.listen(ADDRESS, request -> request.accept(responder.options(), responder));
        simulation.connector(scenario.initiator.config()).connect(ADDRESS, initiator.options(), initiator);
        while (step()) {
            if (random.nextInt(6) == 0) {
                act();
            }
            if (random.nextInt(STALL_EVERY) == 0) {
                simulation.stall(random.nextBoolean(), random.nextInt(MAX_STALL_NANOS));
            }
            if (steps >= scenario.troubleAt && !troubleMade) {
                makeTrouble();
            }
        }
        part();
        while (step()) {
            Broken.unless(steps < MAX_STEPS, () -> "no rest after " + steps + " steps");
        }
        initiator.checkOver();
        responder.checkOver();
        checkBudgets();
    }

    /** Runs one event. Returns false when all is done. */
    private boolean step() {
        boolean stepped = simulation.step();
        if (!stepped && !(initiator.program.finished() && responder.program.finished())) {
            act();
            stepped = true;
        }
        steps++;
        simulation.internalErrors().forEach(error -> {
            throw new AssertionError(error.getMessage(), error);
        });
        initiator.check();
        responder.check();
        Broken.unless(steps < MAX_STEPS, () -> "no rest after " + steps + " steps");
        return stepped;
    }

    private void act() {
        End end = random.nextBoolean() ? initiator : responder;
        End other = end.peer;
        if (!end.program.finished()) {
            end.program.act(end);
        } else if (!other.program.finished()) {
            other.program.act(other);
        }
    }

    // What goes wrong.

    private void makeTrouble() {
        End end = scenario.initiatorMakesTrouble ? initiator : responder;
        if (end.queuePair == null) {
            return;
        }
        troubleMade = true;
        trace(() -> scenario.trouble + " at " + end);
        switch (scenario.trouble) {
            case NONE -> {}
            case RESET -> simulation.resetAll();
            case CUT_OFF -> simulation.cutOff(scenario.initiatorMakesTrouble);
            case CORRUPTION -> corrupting = true;
            case ABORT -> end.abort();
            case DISCONNECT -> end.disconnect();
            case MISDEED -> {
                troubleMade = end.over() || end.life.draining || misdeed.commit(end);
                if (troubleMade) {
                    end.queuePair.flush();
                }
            }
        }
    }

    /** Ends the connection if nothing else has ended it. */
    private void part() {
        trace(() -> "at rest");
        initiator.queuePair.flush();
        if (responder.queuePair != null) {
            responder.queuePair.flush();
        }
        while (step()) {
            Broken.unless(steps < MAX_STEPS, () -> "no rest after " + steps + " steps");
        }
        if (!stalledForGood) {
            initiator.checkAtRest();
            responder.checkAtRest();
        }
        switch (stalledForGood ? 3 : random.nextInt(6)) {
            case 0 -> initiator.disconnect();
            case 1 -> partBoth();
            case 2 -> simulation.resetAll();
            case 3 -> initiator.abort();
            default -> (responder.queuePair != null ? responder : initiator).disconnect();
        }
        for (End end : new End[] {initiator, responder}) {
            if (end.life.halfClosed) {
                end.disconnect();
            }
        }
    }

    private void partBoth() {
        initiator.disconnect();
        if (responder.queuePair != null) {
            responder.disconnect();
        }
    }

    private void checkBudgets() {
        var rnic = simulation.rnic();
        Broken.unless(
                rnic.registeredBytes().used() == 0
                        && rnic.receives().used() == 0
                        && rnic.receiveBytes().used() == 0
                        && rnic.inboundReads().used() == 0,
                () -> "still taken: " + rnic.registeredBytes().used() + " bytes registered, "
                        + rnic.receives().used() + " receives of "
                        + rnic.receiveBytes().used() + " bytes, "
                        + rnic.inboundReads().used() + " inbound Reads");
    }

    // What the wire carries.

    private End sender(InetSocketAddress from) {
        return from.equals(ADDRESS) ? responder : initiator;
    }

    @Override
    public int segmentBytes(InetSocketAddress from) {
        return scenario.segments ? sender(from).segments.bytes() : 0;
    }

    @Override
    public void handedOver(InetSocketAddress from, InetSocketAddress to, FpduBatch batch) {
        InetSocketAddress initiators = from.equals(ADDRESS) ? to : from;
        if (!initiators.equals(port)) {
            // A connection begins: the only one, or the one after a request that was not understood.
            connectedAgain = port != null;
            coverage.see(connectedAgain ? "connected again" : "connected");
            port = initiators;
            for (End end : new End[] {initiator, responder}) {
                end.outbound = new Outbound(end, scenario.markers(end.initiator), scenario.crc());
                end.inbound = new Inbound(end, scenario.markers(!end.initiator), scenario.crc());
            }
        }
        End sender = sender(from);
        if (scenario.segments && sender.outbound.framing() && !scenario.markers(sender.initiator)) {
            sender.segments.given(batch);
        }
        sender.outbound.handedOver(batch.lengthBytes());
    }

    @Override
    public void left(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes) {
        Outbound outbound = sender(from).outbound;
        boolean framing = outbound.framing();
        outbound.left(bytes.duplicate());
        if (corrupting && framing && from.equals(ADDRESS) != scenario.initiatorMakesTrouble) {
            corrupting = false;
            stalledForGood = true;
            int at = random.nextInt(bytes.remaining());
            bytes.put(bytes.position() + at, (byte) (bytes.get(bytes.position() + at) ^ 1 << random.nextInt(8)));
            trace(() -> "a byte changes on the wire");
        }
    }

    @Override
    public void carried(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes) {
        sender(from).peer.inbound.arrived(bytes.duplicate());
    }

    @Override
    public void ended(InetSocketAddress from, InetSocketAddress to) {
        if (!willConnectAgain(from, to)) {
            trace(() -> "the stream of " + sender(from) + " ends");
            sender(from).peer.life.streamEnded();
        }
    }

    @Override
    public void lost(InetSocketAddress local, InetSocketAddress remote) {
        if (!willConnectAgain(local, remote)) {
            trace(() -> sender(local) + " loses the connection");
            sender(local).life.connectionLost();
        }
    }

    /** Whether this is the end of a connection whose request was not understood. */
    private boolean willConnectAgain(InetSocketAddress from, InetSocketAddress to) {
        boolean older = scenario.mode.revision() == 1
                && scenario.initiator.config().mpa().revision() == 2;
        boolean first = !connectedAgain || !(from.equals(port) || to.equals(port));
        return older && first;
    }
}
