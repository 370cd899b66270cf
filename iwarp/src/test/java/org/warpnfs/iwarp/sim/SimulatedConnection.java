package org.warpnfs.iwarp.sim;

import java.net.InetSocketAddress;

/** The two ends of one connection. */
final class SimulatedConnection {
    private final SimulatedLink initiator;
    private final SimulatedLink responder;

    SimulatedConnection(Simulation simulation, InetSocketAddress from, InetSocketAddress to) {
        initiator = new SimulatedLink(simulation, from, to);
        responder = new SimulatedLink(simulation, to, from);
        initiator.join(this, responder);
        responder.join(this, initiator);
    }

    SimulatedLink initiator() {
        return initiator;
    }

    SimulatedLink responder() {
        return responder;
    }

    /** The end that sends in a direction. */
    SimulatedLink sender(boolean fromInitiator) {
        return fromInitiator ? initiator : responder;
    }

    void reset() {
        initiator.lost("connection reset");
        responder.lost("connection reset");
    }
}
