package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.warpnfs.server.NfsCall;

/** An NFSv4.1 client with one session and one slot, which encodes its calls word by word (RFC 8881, section 18). */
public final class V41Client {
    private static final int UID = 1000;
    private static final int EXCHANGE_ID = 42;
    private static final int CREATE_SESSION = 43;
    private static final int SEQUENCE = 53;
    private static final int RECLAIM_COMPLETE = 58;
    private static final int PUTROOTFH = 24;
    private static final int GETATTR = 9;
    private static final int CALLBACK_PROGRAM = 0x4000_0000;

    /** Sends a call to the server and returns the answer. */
    public interface Carrier {
        ByteBuffer answer(NfsCall call) throws Exception;
    }

    private final Carrier carrier;
    private final String owner;
    private int xid = 0x2000_0000;
    private int seqid = 1;
    private byte[] session = new byte[16];

    public V41Client(Carrier carrier, String owner) {
        this.carrier = carrier;
        this.owner = owner;
    }

    private NfsCall compound(int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, UID).string("").word(1).word(operations);
    }

    NfsCall exchangeId() {
        return compound(1)
                .word(EXCHANGE_ID)
                .hyper(1)
                .string(owner)
                .word(0)
                .word(0)
                .word(0);
    }

    /** Sends EXCHANGE_ID and CREATE_SESSION. Returns the status of the first that failed, or 0. */
    int introduce() throws Exception {
        ByteBuffer exchanged = carrier.answer(exchangeId());
        int status = exchanged.getInt(exchanged.position());
        if (status != 0) {
            return status;
        }
        ByteBuffer id = exchanged.slice(exchanged.position() + 20, 12);
        NfsCall create = compound(1)
                .word(CREATE_SESSION)
                .hyper(id.getLong())
                .word(id.getInt())
                .word(2);
        for (int channel = 0; channel < 2; channel++) {
            create.word(0)
                    .word(1 << 20)
                    .word(1 << 20)
                    .word(4096)
                    .word(64)
                    .word(64)
                    .word(0);
        }
        ByteBuffer created =
                carrier.answer(create.word(CALLBACK_PROGRAM).word(1).word(0));
        status = created.getInt(created.position());
        if (status == 0) {
            created.get(created.position() + 20, session);
        }
        return status;
    }

    /** Creates a session and sends RECLAIM_COMPLETE. */
    public void open() throws Exception {
        assertThat(introduce()).as("EXCHANGE_ID and CREATE_SESSION").isZero();
        assertThat(status(sequenced(2).word(RECLAIM_COMPLETE).word(0)))
                .as("RECLAIM_COMPLETE")
                .isZero();
    }

    /** Begins a COMPOUND whose first operation is SEQUENCE. */
    public NfsCall sequenced(int operations) {
        ByteBuffer id = ByteBuffer.wrap(session);
        return compound(operations)
                .word(SEQUENCE)
                .hyper(id.getLong())
                .hyper(id.getLong())
                .word(seqid++)
                .word(0)
                .word(0)
                .word(1);
    }

    public int status(NfsCall call) throws Exception {
        return carrier.answer(call).getInt();
    }

    /** Renews the lease by SEQUENCE, followed by GETATTR of the root. */
    public void renew() throws Exception {
        assertThat(status(sequenced(3).word(PUTROOTFH).word(GETATTR).word(1).word(2)))
                .as("SEQUENCE, PUTROOTFH, GETATTR")
                .isZero();
    }
}
