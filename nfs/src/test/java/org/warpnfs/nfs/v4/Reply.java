package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** A COMPOUND4res on its way. */
final class Reply extends ReplyReader {
    private final Nfs4Status status;
    private final int count;

    Reply(byte[] message) {
        super(message);
        assertThat(stat()).isEqualTo(SUCCESS);
        status = Reply.of(word());
        opaque(1024);
        count = word();
    }

    Nfs4Status status() {
        return status;
    }

    int count() {
        return count;
    }

    static Nfs4Status of(int code) {
        for (Nfs4Status status : Nfs4Status.values()) {
            if (status.code() == code) {
                return status;
            }
        }
        throw new AssertionError("status " + code);
    }

    /** The next result is of that operation, which is fine. */
    void op(OpCode code) {
        op(code, Nfs4Status.OK);
    }

    void op(OpCode code, Nfs4Status expected) {
        assertThat(word()).as("operation").isEqualTo(code.number());
        assertThat(of(word())).as("status of %s", code).isEqualTo(expected);
    }

    /** The next result is of a number that is no operation. */
    void op(int number, Nfs4Status expected) {
        assertThat(word()).as("operation").isEqualTo(number);
        assertThat(of(word())).as("status of operation %d", number).isEqualTo(expected);
    }

    /** sr_status_flags; 0 if SEQUENCE failed. */
    int skipSequence() {
        if (count > 0 && word() == OpCode.SEQUENCE.number() && word() == 0) {
            words(8);
            return word();
        }
        return 0;
    }

    int[] words(int n) {
        int[] words = new int[n];
        for (int i = 0; i < n; i++) {
            words[i] = word();
        }
        return words;
    }

    int[] stateid() {
        return words(4);
    }

    byte[] getFh() {
        op(OpCode.GETFH);
        return opaque(128);
    }

    /** PUTROOTFH, LOOKUP data. */
    Reply afterData() {
        op(OpCode.PUTROOTFH);
        op(OpCode.LOOKUP);
        return this;
    }

    /** PUTROOTFH, LOOKUP data, LOOKUP of a name in it. */
    Reply afterFile() {
        afterData().op(OpCode.LOOKUP);
        return this;
    }

    /** GETATTR of exactly these attributes, up to the first value; the length of all. */
    int getAttrs(int... numbers) {
        op(OpCode.GETATTR);
        return attributes(numbers);
    }

    /** An fattr4 of exactly these attributes, up to the first value; the length of all. */
    int attributes(int... numbers) {
        assertThat(bitmap()).as("attributes").isEqualTo(Fattr.mask(numbers));
        return word();
    }

    int[] bitmap() {
        return words(word());
    }

    /** The stateid, past the whole of OPEN4resok. */
    int[] open() {
        op(OpCode.OPEN);
        int[] stateid = stateid();
        words(5);
        word();
        words(word());
        assertThat(word()).as("no delegation").isZero();
        return stateid;
    }

    /** Past OPEN4resok up to the delegation; its kind. */
    int openUpToDelegation() {
        op(OpCode.OPEN);
        stateid();
        words(5);
        word();
        words(word());
        return word();
    }

    /** The delegation's stateid; its recall flag and ACE follow. */
    int[] readDelegation() {
        assertThat(openUpToDelegation()).as("a read delegation").isEqualTo(1);
        return stateid();
    }

    void end() {
        assertThat(remaining()).as("bytes behind the last result").isZero();
    }
}
