package org.warpnfs.nfs.nlm;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.locks.HeldLock;

/** The result of a procedure, in front of which the cookie of its call goes (RFC 1813, section 6.1.3). */
sealed interface NlmReply {
    NlmStatus status();

    void encode(XdrBytes out);

    /** nlm4_res with its cookie, nlm4_testres or nlm4_shareres. */
    default byte[] toBytes(Netobj cookie) {
        XdrBytes out = new XdrBytes().opaque(cookie.toBytes());
        encode(out);
        return out.toBytes();
    }

    static NlmReply of(NlmStatus status) {
        return new Plain(status);
    }

    /** nlm4_stat. */
    record Plain(NlmStatus status) implements NlmReply {
        @Override
        public void encode(XdrBytes out) {
            out.word(status.code());
        }
    }

    /** nlm4_testrply: with DENIED it describes a holder. */
    record Tested(NlmStatus status, @Nullable HeldLock holder) implements NlmReply {
        @Override
        public void encode(XdrBytes out) {
            out.word(status.code());
            if (status == NlmStatus.DENIED && holder != null) {
                out.bool(holder.exclusive())
                        .word(holder.owner().process())
                        .opaque(holder.owner().name())
                        .hyper(holder.range().first())
                        .hyper(NlmLock.lengthOf(holder.range()));
            }
        }
    }

    /** nlm4_shareres: the sequence is not used. */
    record Shared(NlmStatus status) implements NlmReply {
        @Override
        public void encode(XdrBytes out) {
            out.word(status.code()).word(0);
        }
    }
}
