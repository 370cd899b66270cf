package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** A COMPOUND4res that is being read. */
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

    /** Checks that the next result is of that operation and OK. */
    void op(OpCode code) {
        op(code, Nfs4Status.OK);
    }

    void op(OpCode code, Nfs4Status expected) {
        assertThat(word()).as("operation").isEqualTo(code.number());
        assertThat(of(word())).as("status of %s", code).isEqualTo(expected);
    }

    /** Checks that the next result is of a number that is not an operation. */
    void op(int number, Nfs4Status expected) {
        assertThat(word()).as("operation").isEqualTo(number);
        assertThat(of(word())).as("status of operation %d", number).isEqualTo(expected);
    }

    /** Skips the result of SEQUENCE and returns sr_status_flags; 0 if SEQUENCE failed. */
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

    /** Skips the results of PUTROOTFH and LOOKUP data. */
    Reply afterData() {
        op(OpCode.PUTROOTFH);
        op(OpCode.LOOKUP);
        return this;
    }

    /** Skips the results of PUTROOTFH, LOOKUP data, and LOOKUP of a name in it. */
    Reply afterFile() {
        afterData().op(OpCode.LOOKUP);
        return this;
    }

    /** Reads a GETATTR of exactly these attributes, up to the first value. Returns the length of all values. */
    int getAttrs(int... numbers) {
        op(OpCode.GETATTR);
        return attributes(numbers);
    }

    /** Reads an fattr4 of exactly these attributes, up to the first value. Returns the length of all values. */
    int attributes(int... numbers) {
        assertThat(bitmap()).as("attributes").isEqualTo(Fattr.mask(numbers));
        return word();
    }

    int[] bitmap() {
        return words(word());
    }

    /** Reads an OPEN4resok to its end and returns the stateid. Skips a delegation. */
    int[] open() {
        op(OpCode.OPEN);
        int[] stateid = stateid();
        words(5);
        word();
        words(word());
        switch (word()) {
            case 0 -> {}
            case 1 -> words(9);
            case 2 -> words(12);
            default -> throw new AssertionError("a delegation of an unknown type");
        }
        return stateid;
    }

    /** Reads an OPEN4resok up to the delegation and returns the delegation's kind. */
    int openUpToDelegation() {
        op(OpCode.OPEN);
        stateid();
        words(5);
        word();
        words(word());
        return word();
    }

    /** Reads a delegation's stateid. Its recall flag and ACE follow. */
    int[] readDelegation() {
        assertThat(openUpToDelegation()).as("a read delegation").isEqualTo(1);
        return stateid();
    }

    /** Reads a write delegation's stateid. Its recall flag, its space limit and an ACE follow. */
    int[] readWriteDelegation() {
        assertThat(openUpToDelegation()).as("a write delegation").isEqualTo(2);
        return stateid();
    }

    void end() {
        assertThat(remaining()).as("bytes behind the last result").isZero();
    }
}
