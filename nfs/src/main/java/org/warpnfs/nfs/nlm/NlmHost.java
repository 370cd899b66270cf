package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import org.warpnfs.keys.KeyedHash;
import org.warpnfs.limits.ClientAddress;

/** A client: the address that its calls come from, and the name that it gives itself. */
record NlmHost(InetAddress address, String name) {
    @Override
    public int hashCode() {
        return KeyedHash.of(KeyedHash.of(address), KeyedHash.of(name));
    }

    ClientAddress client() {
        return ClientAddress.of(address);
    }

    /** The name for people. Characters that could forge a line of a log are replaced. */
    String shown() {
        return name.replaceAll("[^ -~]", "?") + " (" + address.getHostAddress() + ")";
    }
}
