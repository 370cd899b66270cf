package org.warpnfs.server.config;

/**
 * How RDMA clients are served.
 *
 * @param crc whether FPDUs carry a CRC that only we ask for
 * @param markers whether clients are asked for MPA markers in what they send; Linux clients know none and then cannot
 *     connect
 * @param readReplies whether a reply that fits nowhere is exposed for the client to read, as RFC 5666, section 3.8 has
 *     it; else such a call is answered by ERR_CHUNK, as RFC 8166 has it
 */
public record RdmaChoices(CrcPolicy crc, boolean markers, boolean readReplies) {
    /** What {@code serve} does when it is told nothing. */
    public static final RdmaChoices DEFAULT = new RdmaChoices(CrcPolicy.OFF, false, false);

    /** These, with another CRC policy. */
    public RdmaChoices withCrc(CrcPolicy policy) {
        return new RdmaChoices(policy, markers, readReplies);
    }

    /** These, with markers wanted or not. */
    public RdmaChoices withMarkers(boolean choice) {
        return new RdmaChoices(crc, choice, readReplies);
    }

    /** These, with replies by Read chunks or without. */
    public RdmaChoices withReadReplies(boolean choice) {
        return new RdmaChoices(crc, markers, choice);
    }
}
