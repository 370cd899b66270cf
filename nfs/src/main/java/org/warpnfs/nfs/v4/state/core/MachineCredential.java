package org.warpnfs.nfs.v4.state.core;

import java.util.BitSet;

/**
 * What a client has reserved for its machine credential by SP4_MACH_CRED (RFC 8881, section 18.35.3): the principal of
 * its EXCHANGE_ID, with integrity or privacy.
 *
 * @param enforced operations that no other credential may use, by number
 * @param allowed operations that it may use beside the users
 */
public record MachineCredential(BitSet enforced, BitSet allowed) {
    public MachineCredential {
        enforced = (BitSet) enforced.clone();
        allowed = (BitSet) allowed.clone();
    }

    @Override
    public BitSet enforced() {
        return (BitSet) enforced.clone();
    }

    @Override
    public BitSet allowed() {
        return (BitSet) allowed.clone();
    }

    /** True if no other credential may use the operation. */
    public boolean enforces(int operation) {
        return enforced.get(operation);
    }
}
