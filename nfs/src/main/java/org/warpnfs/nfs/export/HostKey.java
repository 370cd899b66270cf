package org.warpnfs.nfs.export;

import java.net.InetAddress;
import org.warpnfs.keys.KeyedHash;

/**
 * A host by which to keep answers: its address and its link, which {@link InetAddress#equals} does not compare.
 *
 * @param zone the number of the interface; 0 if the address needs none
 */
record HostKey(InetAddress address, int zone) {
    @Override
    public int hashCode() {
        return KeyedHash.of(KeyedHash.of(address), zone);
    }

    static HostKey of(InetAddress address) {
        return new HostKey(address, Zone.numberOf(address));
    }
}
