package org.warpnfs.nfs.v3;

/**
 * Values that a server reports by FSINFO, and its verifier.
 *
 * @param maxTransferBytes rtmax and wtmax: most data of one READ or WRITE; the payload pool lends as much at once
 * @param preferredDirectoryBytes dtpref: the reply size that clients should ask for when they list
 * @param maxDirectoryBytes limit of a listing's reply, whatever a client asks for
 * @param instanceVerifier differs for each start of the server; part of WRITE and COMMIT verifiers
 */
public record Nfs3Options(
        int maxTransferBytes, int preferredDirectoryBytes, int maxDirectoryBytes, long instanceVerifier) {
    private static final int MIB = 1 << 20;

    public Nfs3Options {
        if (maxTransferBytes < 1024 || preferredDirectoryBytes < 1024 || maxDirectoryBytes < preferredDirectoryBytes) {
            throw new IllegalArgumentException("transfer sizes of " + maxTransferBytes + ", " + preferredDirectoryBytes
                    + " and " + maxDirectoryBytes + " bytes are too small or out of order");
        }
    }

    /** 1 MiB for data, 64 KiB and 1 MiB for listings. */
    public static Nfs3Options of(long instanceVerifier) {
        return new Nfs3Options(MIB, 64 << 10, MIB, instanceVerifier);
    }
}
