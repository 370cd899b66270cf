package org.warpnfs.rpcrdma.udp;

import java.util.HashMap;
import java.util.Map;
import org.warpnfs.limits.ClientAddress;

/** Counts calls that wait or run, in all and for each client address. Safe for any thread. */
final class CallsUnderWay {
    private final int most;
    private final int mostOfClient;
    private final Map<ClientAddress, Integer> ofClients = new HashMap<>();
    private int all;

    CallsUnderWay(int most, int mostOfClient) {
        this.most = most;
        this.mostOfClient = mostOfClient;
    }

    /** Takes a place for a call. Returns false if there is none. */
    synchronized boolean begin(ClientAddress client) {
        int ofClient = ofClients.getOrDefault(client, 0);
        if (all >= most || ofClient >= mostOfClient) {
            return false;
        }
        all++;
        ofClients.put(client, ofClient + 1);
        return true;
    }

    synchronized void ended(ClientAddress client) {
        all--;
        ofClients.compute(client, (_, count) -> count == null || count == 1 ? null : count - 1);
    }

    synchronized int count() {
        return all;
    }
}
