package org.warpnfs.server.config;

import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;

/**
 * How calls work on files: short cuts that they may take, and locks that they take besides their own. Each can be
 * switched off, to find out whether a fault lies there.
 *
 * @param splice whether data in the page cache go from a file to a socket without a copy in user space, where the
 *     kernel and the connection permit it; if not, all data are read before they are sent
 * @param inline whether calls that need not wait run on the event loop that received them; if not, every call runs on a
 *     thread of its lane
 * @param delegations which delegations NFSv4 clients may get, under which they cache without asking
 * @param hostLocks whether byte-range locks of clients are taken at the backend too
 * @param nlm whether NFSv3 clients may lock files
 * @param dataServers where NFSv4 clients may read and write the files of exports that permit it
 */
public record DataPath(
        OnOff splice, OnOff inline, DelegationPolicy delegations, OnOff hostLocks, OnOff nlm, DataServers dataServers) {
    /** Takes all short cuts. */
    public static final DataPath DEFAULTS = new DataPath(OnOff.ON, OnOff.ON);

    /** With delegations to read, and locks among clients. */
    public DataPath(OnOff splice, OnOff inline) {
        this(splice, inline, DelegationPolicy.READ, OnOff.OFF, OnOff.ON, DataServers.NONE);
    }

    /** The same with NLM, or without. */
    public DataPath withNlm(OnOff choice) {
        return new DataPath(splice, inline, delegations, hostLocks, choice, dataServers);
    }

    /** A switch that is on unless it is turned off. */
    public enum OnOff {
        ON,
        OFF
    }
}
