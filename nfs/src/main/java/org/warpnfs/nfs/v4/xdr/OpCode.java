package org.warpnfs.nfs.v4.xdr;

import org.jspecify.annotations.Nullable;

/**
 * nfs_opnum4: the operations of minor versions 0 to 2 (RFC 8881, section 16.2.4, RFC 7862, section 13, RFC 8276,
 * section 8.4).
 *
 * <p>An operation is known from the minor version that introduced it. A later minor version may forbid to implement it,
 * as for OPEN_CONFIRM and RENEW. It stays known there, and answers NOTSUPP instead of OP_ILLEGAL.
 */
public enum OpCode {
    ACCESS(3, 0, 2),
    CLOSE(4, 0, 2),
    COMMIT(5, 0, 2),
    CREATE(6, 0, 2),
    DELEGPURGE(7, 0, 2),
    DELEGRETURN(8, 0, 2),
    GETATTR(9, 0, 2),
    GETFH(10, 0, 2),
    LINK(11, 0, 2),
    LOCK(12, 0, 2),
    LOCKT(13, 0, 2),
    LOCKU(14, 0, 2),
    LOOKUP(15, 0, 2),
    LOOKUPP(16, 0, 2),
    NVERIFY(17, 0, 2),
    OPEN(18, 0, 2),
    OPENATTR(19, 0, 2),
    OPEN_CONFIRM(20, 0, 0),
    OPEN_DOWNGRADE(21, 0, 2),
    PUTFH(22, 0, 2),
    PUTPUBFH(23, 0, 2),
    PUTROOTFH(24, 0, 2),
    READ(25, 0, 2),
    READDIR(26, 0, 2),
    READLINK(27, 0, 2),
    REMOVE(28, 0, 2),
    RENAME(29, 0, 2),
    RENEW(30, 0, 0),
    RESTOREFH(31, 0, 2),
    SAVEFH(32, 0, 2),
    SECINFO(33, 0, 2),
    SETATTR(34, 0, 2),
    SETCLIENTID(35, 0, 0),
    SETCLIENTID_CONFIRM(36, 0, 0),
    VERIFY(37, 0, 2),
    WRITE(38, 0, 2),
    RELEASE_LOCKOWNER(39, 0, 0),
    BACKCHANNEL_CTL(40, 1, 2),
    BIND_CONN_TO_SESSION(41, 1, 2),
    EXCHANGE_ID(42, 1, 2),
    CREATE_SESSION(43, 1, 2),
    DESTROY_SESSION(44, 1, 2),
    FREE_STATEID(45, 1, 2),
    GET_DIR_DELEGATION(46, 1, 2),
    GETDEVICEINFO(47, 1, 2),
    GETDEVICELIST(48, 1, 2),
    LAYOUTCOMMIT(49, 1, 2),
    LAYOUTGET(50, 1, 2),
    LAYOUTRETURN(51, 1, 2),
    SECINFO_NO_NAME(52, 1, 2),
    SEQUENCE(53, 1, 2),
    SET_SSV(54, 1, 2),
    TEST_STATEID(55, 1, 2),
    WANT_DELEGATION(56, 1, 2),
    DESTROY_CLIENTID(57, 1, 2),
    RECLAIM_COMPLETE(58, 1, 2),
    ALLOCATE(59, 2, 2),
    COPY(60, 2, 2),
    COPY_NOTIFY(61, 2, 2),
    DEALLOCATE(62, 2, 2),
    IO_ADVISE(63, 2, 2),
    LAYOUTERROR(64, 2, 2),
    LAYOUTSTATS(65, 2, 2),
    OFFLOAD_CANCEL(66, 2, 2),
    OFFLOAD_STATUS(67, 2, 2),
    READ_PLUS(68, 2, 2),
    SEEK(69, 2, 2),
    WRITE_SAME(70, 2, 2),
    CLONE(71, 2, 2),
    GETXATTR(72, 2, 2),
    SETXATTR(73, 2, 2),
    LISTXATTRS(74, 2, 2),
    REMOVEXATTR(75, 2, 2);

    /** OP_ILLEGAL: the operation number in the result for an unknown number. */
    public static final int ILLEGAL = 10044;

    private static final @Nullable OpCode[] BY_NUMBER = new @Nullable OpCode[128];

    static {
        for (OpCode code : values()) {
            BY_NUMBER[code.number] = code;
        }
    }

    private final int number;
    private final int firstMinorVersion;
    private final int lastMinorVersion;

    OpCode(int number, int firstMinorVersion, int lastMinorVersion) {
        this.number = number;
        this.firstMinorVersion = firstMinorVersion;
        this.lastMinorVersion = lastMinorVersion;
    }

    /** The operation of that number in that minor version, or null if there is none. */
    public static @Nullable OpCode of(int number, int minorVersion) {
        if (number < 0 || number >= BY_NUMBER.length) {
            return null;
        }
        OpCode code = BY_NUMBER[number];
        return code != null && code.firstMinorVersion <= minorVersion ? code : null;
    }

    public int number() {
        return number;
    }

    /** False if the minor version forbids an operation of an earlier one. */
    public boolean isAllowedIn(int minorVersion) {
        return firstMinorVersion <= minorVersion && minorVersion <= lastMinorVersion;
    }
}
