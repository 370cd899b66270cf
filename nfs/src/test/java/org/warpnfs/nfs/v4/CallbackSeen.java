package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;

/** A call of the server, read word by word. */
final class CallbackSeen {
    static final int CB_GETATTR = 3;

    static final int CB_LAYOUTRECALL = 5;

    static final int CB_RECALL_ANY = 8;

    static final int CB_RECALL_SLOT = 10;

    static final int CB_NOTIFY_LOCK = 13;

    final int xid;
    final int program;
    final int procedure;
    final int flavor;
    int minorVersion;
    byte[] sessionId = new byte[16];
    int seqid;
    int slot;
    /** Session id, 1, sequence id and slot of a referring call; empty if there is none. */
    int[] referring = {};

    int operation;
    int highestSlot;
    final int[] stateid = new int[4];
    byte[] fileHandle = new byte[0];
    int[] asked = {};
    int kept;
    long lockClientId;
    byte[] lockOwner = new byte[0];

    CallbackSeen(byte[] message) {
        ByteBuffer words = ByteBuffer.wrap(message);
        xid = words.getInt();
        assertThat(words.getInt()).as("a call").isZero();
        assertThat(words.getInt()).as("RPC version").isEqualTo(2);
        program = words.getInt();
        assertThat(words.getInt()).as("callback version").isEqualTo(1);
        procedure = words.getInt();
        flavor = words.getInt();
        int credentialBytes = words.getInt();
        words.position(words.position() + credentialBytes);
        assertThat(words.getLong()).as("verifier").isZero();
        if (procedure == 1) {
            assertThat(words.getInt()).as("tag").isZero();
            minorVersion = words.getInt();
            assertThat(words.getInt()).as("callback_ident").isZero();
            assertThat(words.getInt()).as("operations").isEqualTo(2);
            assertThat(words.getInt()).as("CB_SEQUENCE").isEqualTo(11);
            words.get(sessionId);
            seqid = words.getInt();
            slot = words.getInt();
            assertThat(words.getInt()).as("highest slot").isGreaterThanOrEqualTo(slot);
            assertThat(words.getInt()).as("cachethis").isZero();
            int sessions = words.getInt();
            assertThat(sessions).as("sessions with referring calls").isBetween(0, 1);
            if (sessions == 1) {
                referring = new int[7];
                for (int i = 0; i < referring.length; i++) {
                    referring[i] = words.getInt();
                }
                assertThat(referring[4]).as("referring calls").isEqualTo(1);
            }
            operation = words.getInt();
            if (operation == CB_RECALL_SLOT) {
                highestSlot = words.getInt();
            } else if (operation == CB_RECALL_ANY) {
                kept = words.getInt();
                assertThat(words.getInt()).as("words of the mask").isEqualTo(1);
                assertThat(words.getInt()).as("read and write delegations").isEqualTo(3);
            } else if (operation == CB_GETATTR) {
                fileHandle = new byte[words.getInt()];
                words.get(fileHandle);
                words.position(words.position() + (-fileHandle.length & 3));
                asked = new int[words.getInt()];
                for (int i = 0; i < asked.length; i++) {
                    asked[i] = words.getInt();
                }
            } else if (operation == CB_NOTIFY_LOCK) {
                fileHandle = new byte[words.getInt()];
                words.get(fileHandle);
                words.position(words.position() + (-fileHandle.length & 3));
                lockClientId = words.getLong();
                lockOwner = new byte[words.getInt()];
                words.get(lockOwner);
            } else if (operation == CB_LAYOUTRECALL) {
                assertThat(words.getInt()).as("LAYOUT4_FLEX_FILES").isEqualTo(4);
                assertThat(words.getInt()).as("LAYOUTIOMODE4_ANY").isEqualTo(3);
                assertThat(words.getInt()).as("changed").isZero();
                assertThat(words.getInt()).as("LAYOUTRECALL4_FILE").isEqualTo(1);
                fileHandle = new byte[words.getInt()];
                words.get(fileHandle);
                words.position(words.position() + (-fileHandle.length & 3));
                assertThat(words.getLong()).as("offset").isZero();
                assertThat(words.getLong()).as("length").isEqualTo(-1);
                for (int i = 0; i < 4; i++) {
                    stateid[i] = words.getInt();
                }
            } else {
                readRecall(words);
            }
        }
        assertThat(words.remaining()).as("rest").isLessThan(4);
    }

    private void readRecall(ByteBuffer words) {
        assertThat(operation).as("CB_RECALL").isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            stateid[i] = words.getInt();
        }
        assertThat(words.getInt()).as("truncate").isZero();
        fileHandle = new byte[words.getInt()];
        words.get(fileHandle);
    }
}
