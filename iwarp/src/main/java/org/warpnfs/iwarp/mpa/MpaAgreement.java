package org.warpnfs.iwarp.mpa;

import org.jspecify.annotations.Nullable;

/**
 * What the two startup frames settled.
 *
 * @param crc whether CRCs are sent and checked
 * @param ird RDMA Reads that we hold for the peer
 * @param ord RDMA Reads that we may have outstanding
 * @param rtr what the initiator sends first in peer-to-peer mode; null outside of it
 */
public record MpaAgreement(
        boolean crc, int ird, int ord, @Nullable RtrKind rtr) {}
