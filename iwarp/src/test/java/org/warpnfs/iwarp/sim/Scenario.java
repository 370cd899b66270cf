package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/** What a seed determines before the run: how the two ends connect, what each of them may do, and what goes wrong. */
final class Scenario {
    static final List<Mode> MODES = modes();

    private static final int[] MULPDUS = {128, 250, 1442, 9000, QueuePairConfig.DEFAULT_MULPDU_BYTES};
    private static final int[] PIECES = {11, 60, 300, 3_000, 100_000};
    private static final int LARGE_EVERY = 50;
    private static final Trouble[] TROUBLES = Trouble.values();

    final Mode mode;
    final EndChoices initiator;
    final EndChoices responder;
    final LinkFaults faults;
    final Trouble trouble;

    /** The step at which it goes wrong. */
    final int troubleAt;

    /** Which end causes it, if an end does. */
    final boolean initiatorMakesTrouble;

    /** The number of actions of the two upper layers. */
    final int actions;

    /** The greatest length of messages and regions. */
    final int maxBytes;

    /**
     * A way to connect.
     *
     * @param rtr null outside of peer-to-peer mode
     */
    record Mode(CrcPolicy crc, boolean markersToInitiator, boolean markersToResponder, int revision, RtrKind rtr) {
        /** The RTR that is sent in revision 1, where nothing is negotiated. */
        RtrKind sentRtr() {
            return rtr != null && revision == 1 ? RtrKind.WRITE : rtr;
        }
    }

    /** The choices of one end. */
    record EndChoices(
            int ird,
            int ord,
            boolean sharedReceives,
            boolean direct,
            Set<RdmaExtension> extensions,
            QueuePairConfig config) {
        ConnectOptions options() {
            return new ConnectOptions(ByteBuffer.allocate(8), ird, ord).with(extensions.toArray(new RdmaExtension[0]));
        }
    }

    /** What goes wrong. */
    enum Trouble {
        NONE,
        RESET,
        /** One direction of the stream ends in the middle of its data. */
        CUT_OFF,
        /** A byte changes on the wire. */
        CORRUPTION,
        ABORT,
        DISCONNECT,
        /** One upper layer requests something that the protocol forbids, or revokes what it has granted. */
        MISDEED
    }

    /** Whether the ends know how long the segments of their TCP are. */
    final boolean segments;

    Scenario(long seed, SplittableRandom random) {
        segments = random.nextBoolean();
        mode = MODES.get((int) Math.floorMod(seed, (long) MODES.size()));
        boolean large = random.nextInt(LARGE_EVERY) == 0;
        maxBytes = large ? 70_000 : random.nextInt(3) == 0 ? 80 : 600;
        Trouble drawn = random.nextBoolean() ? Trouble.MISDEED : TROUBLES[random.nextInt(TROUBLES.length)];
        trouble = drawn == Trouble.CORRUPTION && mode.crc() == CrcPolicy.OFF ? Trouble.MISDEED : drawn;
        troubleAt = random.nextInt(random.nextInt(3) == 0 ? 30 : 400);
        initiatorMakesTrouble = random.nextBoolean();
        int pieceBytes = PIECES[large ? 3 + random.nextInt(2) : random.nextInt(PIECES.length)];
        faults = new LinkFaults(random.nextInt(random.nextInt(4) == 0 ? 1 : 1_000_000), pieceBytes, 0);
        actions = random.nextInt(5, large || pieceBytes < 100 ? 30 : 80);
        Set<RdmaExtension> common = extensions(random);
        EndChoices first = end(random, common);
        EndChoices second = end(random, common);
        if (mode.revision() == 1) {
            // Without negotiation of limits on Reads, the upper layers must agree on them.
            second = new EndChoices(
                    Math.max(second.ird(), first.ord()),
                    Math.min(second.ord(), first.ird()),
                    second.sharedReceives(),
                    second.direct(),
                    second.extensions(),
                    second.config());
        }
        initiator = with(first, initiatorMpa(random.nextBoolean()));
        responder = with(second, both().withMarkers(mode.markersToResponder()).withRevision(mode.revision(), false));
    }

    private static EndChoices with(EndChoices end, MpaChoices mpa) {
        return new EndChoices(
                end.ird(),
                end.ord(),
                end.sharedReceives(),
                end.direct(),
                end.extensions(),
                end.config().withMpa(mpa));
    }

    private MpaChoices both() {
        return MpaChoices.defaults().withCrcPolicy(mode.crc());
    }

    private MpaChoices initiatorMpa(boolean fallsBack) {
        MpaChoices choices = both().withMarkers(mode.markersToInitiator()).withPeerToPeer(mode.rtr() != null);
        if (mode.rtr() != null) {
            // Revision 1 has only a Write as RTR.
            choices = choices.withRtrKinds(
                    mode.revision() == 1 ? EnumSet.of(mode.rtr(), RtrKind.WRITE) : EnumSet.of(mode.rtr()));
        }
        // A responder of revision 1 closes on a request of revision 2, so these initiators fall back. A fault during
        // that would make the initiator connect twice with its one upper layer.
        boolean older = fallsBack && mode.revision() == 1 && trouble == Trouble.NONE;
        return older ? choices : choices.withRevision(mode.revision(), false);
    }

    private static Set<RdmaExtension> extensions(SplittableRandom random) {
        Set<RdmaExtension> chosen = EnumSet.noneOf(RdmaExtension.class);
        for (RdmaExtension extension : RdmaExtension.values()) {
            if (random.nextInt(4) > 0) {
                chosen.add(extension);
            }
        }
        return chosen;
    }

    private EndChoices end(SplittableRandom random, Set<RdmaExtension> common) {
        // An extension that only one end has is unknown to the other, and using it is a misdeed.
        Set<RdmaExtension> extensions =
                trouble == Trouble.MISDEED && random.nextInt(8) == 0 ? extensions(random) : common;
        int mulpduBytes = MULPDUS[random.nextInt(MULPDUS.length)];
        return new EndChoices(
                random.nextInt(6),
                random.nextInt(6),
                random.nextInt(4) == 0,
                random.nextInt(5) > 0,
                extensions,
                QueuePairConfig.defaults().toBuilder()
                        .mulpduBytes(mulpduBytes)
                        .firstMessageTimeoutNanos(TimeUnit.SECONDS.toNanos(20))
                        .batchBytes(random.nextInt(4) == 0 ? 64 << 10 : 1 + random.nextInt(2_000))
                        .build());
    }

    EndChoices end(boolean ofInitiator) {
        return ofInitiator ? initiator : responder;
    }

    boolean crc() {
        return mode.crc() != CrcPolicy.OFF;
    }

    /** Whether one end sends markers. */
    boolean markers(boolean fromInitiator) {
        return fromInitiator ? mode.markersToResponder() : mode.markersToInitiator();
    }

    /** How many Reads one end may have outstanding at the other. */
    int agreedOrd(boolean ofInitiator) {
        return Math.min(end(ofInitiator).ord(), end(!ofInitiator).ird());
    }

    private static List<Mode> modes() {
        List<Mode> modes = new ArrayList<>();
        for (CrcPolicy crc : CrcPolicy.values()) {
            for (int markers = 0; markers < 4; markers++) {
                for (int revision = 1; revision <= 2; revision++) {
                    modes.add(new Mode(crc, (markers & 1) != 0, (markers & 2) != 0, revision, null));
                    for (RtrKind rtr : RtrKind.values()) {
                        modes.add(new Mode(crc, (markers & 1) != 0, (markers & 2) != 0, revision, rtr));
                    }
                }
            }
        }
        return List.copyOf(modes);
    }
}
