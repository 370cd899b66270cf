package org.warpnfs.server.config;

/**
 * How RDMA clients are served.
 *
 * @param crc whether the server asks for a CRC in FPDUs
 * @param markers whether clients are asked to send MPA markers; Linux clients do not support them and then cannot
 *     connect
 * @param readReplies whether a reply that fits into no chunk is exposed for the client to read (RFC 5666, section 3.8);
 *     otherwise such a call is answered with ERR_CHUNK (RFC 8166)
 * @param fpdus how long FPDUs to each client may be
 */
public record RdmaChoices(CrcPolicy crc, boolean markers, boolean readReplies, FpduSizes fpdus) {
    /** The defaults of {@code serve}. */
    public static final RdmaChoices DEFAULT = new RdmaChoices(CrcPolicy.OFF, false, false, FpduSizes.DEFAULT);

    /** Returns these choices with another CRC policy. */
    public RdmaChoices withCrc(CrcPolicy policy) {
        return new RdmaChoices(policy, markers, readReplies, fpdus);
    }

    /** Returns these choices with markers on or off. */
    public RdmaChoices withMarkers(boolean choice) {
        return new RdmaChoices(crc, choice, readReplies, fpdus);
    }

    /** Returns these choices with replies by Read chunks on or off. */
    public RdmaChoices withReadReplies(boolean choice) {
        return new RdmaChoices(crc, markers, choice, fpdus);
    }
}
