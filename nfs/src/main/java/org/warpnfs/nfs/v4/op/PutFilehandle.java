package org.warpnfs.nfs.v4.op;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Whether PUTFH, PUTROOTFH, PUTPUBFH or RESTOREFH answers WRONGSEC if the export does not accept the credential (RFC
 * 8881, section 2.6.3.1.1). The operation after it decides. A SAVEFH in between is passed over.
 *
 * <pre>
 *   operation after it                 what answers WRONGSEC for this export
 *   none                               nothing
 *   another put filehandle operation   nothing
 *   LOOKUP, LOOKUPP, OPEN of a name    that operation, for the export that it enters
 *   SECINFO, SECINFO_NO_NAME           nothing
 *   any other, OPEN of the file        the put filehandle operation
 * </pre>
 */
final class PutFilehandle {
    private static final Set<OpCode> JUDGING = EnumSet.of(
            OpCode.LOOKUP,
            OpCode.LOOKUPP,
            OpCode.SECINFO,
            OpCode.SECINFO_NO_NAME,
            OpCode.PUTFH,
            OpCode.PUTPUBFH,
            OpCode.PUTROOTFH,
            OpCode.RESTOREFH);

    /** seqid, share_access, share_deny, clientid. */
    private static final int BEFORE_OWNER_BYTES = 20;

    private static final int UNCHECKED = 0;
    private static final int GUARDED = 1;
    private static final int EXCLUSIVE_4_1 = 3;
    private static final int VERIFIER_BYTES = 8;

    /**
     * What may stand before the claim of an OPEN: two opaques of 1 KiB at most, and a bitmap, if attributes are few.
     */
    private static final int LOOK_BYTES = 4096;

    private PutFilehandle() {}

    /**
     * True if the export of the filehandle need not accept the credential, as far as this operation goes.
     *
     * @param operationsAfter how many operations of the COMPOUND follow this one
     */
    static boolean isJudgedLater(int operationsAfter, CompoundReader in, int minorVersion) {
        int left = operationsAfter;
        OpCode next = left == 0 ? null : OpCode.of(in.peek(), minorVersion);
        if (next != OpCode.SAVEFH) {
            return left == 0 || isJudging(next, in, 0);
        }
        ByteBuffer ahead = in.ahead(LOOK_BYTES);
        int at = 0;
        while (next == OpCode.SAVEFH) {
            left--;
            if (left == 0) {
                return true;
            }
            if (ahead.remaining() < at + Integer.BYTES) {
                return false;
            }
            next = OpCode.of(ahead.getInt(ahead.position() + at), minorVersion);
            at += Integer.BYTES;
        }
        return isJudging(next, in, at);
    }

    private static boolean isJudging(@Nullable OpCode next, CompoundReader in, int argumentsAt) {
        if (next == OpCode.OPEN) {
            return isOpenOfName(in.ahead(LOOK_BYTES), argumentsAt);
        }
        return next != null && JUDGING.contains(next);
    }

    /** True if the claim of OPEN4args names a file in the current directory. False for what cannot be decoded. */
    private static boolean isOpenOfName(ByteBuffer ahead, int argumentsAt) {
        ByteBuffer in = ahead.slice();
        try {
            in.position(argumentsAt + BEFORE_OWNER_BYTES);
            skipOpaque(in);
            if (in.getInt() != 0) {
                int mode = in.getInt();
                if (mode != UNCHECKED && mode != GUARDED) {
                    skip(in, VERIFIER_BYTES);
                }
                if (mode == UNCHECKED || mode == GUARDED || mode == EXCLUSIVE_4_1) {
                    skip(in, (long) Integer.BYTES * in.getInt());
                    skipOpaque(in);
                }
            }
            return switch (in.getInt()) {
                case OpenArguments.CLAIM_NULL, OpenArguments.CLAIM_DELEGATE_CUR, OpenArguments.CLAIM_DELEGATE_PREV ->
                    true;
                default -> false;
            };
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            return false;
        }
    }

    private static void skipOpaque(ByteBuffer in) {
        skip(in, CompoundWriter.roundUp(in.getInt()));
    }

    /** Throws IllegalArgumentException for a length that is negative or not there. */
    private static void skip(ByteBuffer in, long lengthBytes) {
        if (lengthBytes < 0 || lengthBytes > in.remaining()) {
            throw new IllegalArgumentException();
        }
        in.position(in.position() + (int) lengthBytes);
    }
}
