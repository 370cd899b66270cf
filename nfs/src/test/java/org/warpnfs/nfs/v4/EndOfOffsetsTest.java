package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Offsets and lengths at the ends of the numbers of 63 and 64 bits, operation by operation. Layouts have theirs in
 * {@link LayoutErrorsTest}.
 */
class EndOfOffsetsTest {
    /** NFS4_UINT64_MAX: the last offset, and as the length of a lock "to the end of the file". */
    private static final long LAST = -1;

    private static final long BEFORE_LAST = -2;
    private static final long MAX = Long.MAX_VALUE;
    private static final long HALF = Long.MIN_VALUE;

    private static final int WRITE_LT = 2;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);
    private int[] open;
    private int[] target;
    private int[] locked;

    @BeforeEach
    void openFile() {
        open = client.create("f");
        client.run(file("f").write(open, 0, 2, "twelve bytes"));
        target = client.create("g");
        Reply lock = client.run(file("f").lock(WRITE_LT, false, 0, LAST, open, "holder"));
        lock.afterFile().op(OpCode.LOCK);
        locked = lock.stateid();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file(String name) {
        return new Ops().data().lookup(name);
    }

    private record Row(OpCode code, long offset, long length, Nfs4Status status) {
        @Override
        public String toString() {
            return code + " of " + Long.toUnsignedString(length) + " at " + Long.toUnsignedString(offset);
        }
    }

    private static Row row(OpCode code, long offset, long length, Nfs4Status status) {
        return new Row(code, offset, length, status);
    }

    /**
     * RFC 8881, section 18.10.3: INVAL for a length of 0, and for one that is not all ones and reaches, added to the
     * offset, more than 2^64 - 1. So the last byte of all can be locked by "to the end" alone.
     */
    private static Stream<Row> locking(OpCode code) {
        return Stream.of(
                row(code, 0, 0, Nfs4Status.INVAL),
                row(code, LAST, 0, Nfs4Status.INVAL),
                row(code, 0, LAST, Nfs4Status.OK),
                row(code, LAST, LAST, Nfs4Status.OK),
                row(code, BEFORE_LAST, LAST, Nfs4Status.OK),
                row(code, LAST, 1, Nfs4Status.INVAL),
                row(code, LAST, BEFORE_LAST, Nfs4Status.INVAL),
                row(code, BEFORE_LAST, 1, Nfs4Status.OK),
                row(code, BEFORE_LAST, 2, Nfs4Status.INVAL),
                row(code, 0, BEFORE_LAST, Nfs4Status.OK),
                row(code, 1, BEFORE_LAST, Nfs4Status.OK),
                row(code, 2, BEFORE_LAST, Nfs4Status.INVAL),
                row(code, MAX, 1, Nfs4Status.OK),
                row(code, MAX, MAX, Nfs4Status.OK),
                row(code, HALF, MAX, Nfs4Status.OK),
                row(code, HALF, HALF, Nfs4Status.INVAL));
    }

    /** What is read beyond the end of a file is nothing, and the end of it (section 18.22.3). */
    private static Stream<Row> reading(OpCode code) {
        return Stream.of(LAST, BEFORE_LAST, HALF, MAX, MAX - 1)
                .flatMap(offset -> Stream.of(
                        row(code, offset, 0, Nfs4Status.OK),
                        row(code, offset, 1, Nfs4Status.OK),
                        row(code, offset, 0xFFFF_FFFFL, Nfs4Status.OK)));
    }

    /** A file has at most 2^63 - 1 bytes here: FBIG (section 18.32.3; RFC 7862, section 15.1.3). */
    private static Stream<Row> writing(OpCode code) {
        return Stream.of(LAST, BEFORE_LAST, HALF, MAX).map(offset -> row(code, offset, 1, Nfs4Status.FBIG));
    }

    static Stream<Row> rows() {
        return Stream.of(
                        Stream.of(OpCode.LOCK, OpCode.LOCKT, OpCode.LOCKU).flatMap(EndOfOffsetsTest::locking),
                        Stream.of(OpCode.READ, OpCode.READ_PLUS).flatMap(EndOfOffsetsTest::reading),
                        Stream.of(OpCode.WRITE, OpCode.ALLOCATE).flatMap(EndOfOffsetsTest::writing),
                        Stream.of(
                                row(OpCode.ALLOCATE, 0, LAST, Nfs4Status.FBIG),
                                row(OpCode.ALLOCATE, 1, MAX, Nfs4Status.FBIG),
                                row(OpCode.ALLOCATE, LAST, LAST, Nfs4Status.FBIG),
                                // Nothing is beyond the end that could be freed (RFC 7862, section 15.4.3).
                                row(OpCode.DEALLOCATE, 0, LAST, Nfs4Status.OK),
                                row(OpCode.DEALLOCATE, 1, LAST, Nfs4Status.OK),
                                row(OpCode.DEALLOCATE, MAX, LAST, Nfs4Status.OK),
                                row(OpCode.DEALLOCATE, MAX, 1, Nfs4Status.OK),
                                row(OpCode.DEALLOCATE, 1, MAX, Nfs4Status.OK),
                                row(OpCode.DEALLOCATE, HALF, 1, Nfs4Status.INVAL),
                                row(OpCode.DEALLOCATE, LAST, 1, Nfs4Status.INVAL),
                                row(OpCode.SEEK, LAST, 0, Nfs4Status.NXIO),
                                row(OpCode.SEEK, HALF, 0, Nfs4Status.NXIO),
                                row(OpCode.SEEK, MAX, 0, Nfs4Status.NXIO),
                                // COMMIT has no error for a range (RFC 8881, section 15.2): more is synced than asked.
                                row(OpCode.COMMIT, LAST, 0, Nfs4Status.OK),
                                row(OpCode.COMMIT, LAST, 0xFFFF_FFFFL, Nfs4Status.OK),
                                row(OpCode.COMMIT, MAX, 0xFFFF_FFFFL, Nfs4Status.OK),
                                row(OpCode.IO_ADVISE, LAST, LAST, Nfs4Status.OK),
                                row(OpCode.IO_ADVISE, HALF, HALF, Nfs4Status.OK),
                                // The length is the count, the offset that of the source (RFC 7862, section 15.2.3).
                                row(OpCode.COPY, LAST, 1, Nfs4Status.INVAL),
                                row(OpCode.COPY, 1, LAST, Nfs4Status.INVAL),
                                row(OpCode.COPY, LAST, 0, Nfs4Status.INVAL),
                                row(OpCode.COPY, MAX, MAX, Nfs4Status.INVAL),
                                row(OpCode.COPY, 12, 0, Nfs4Status.OK),
                                row(OpCode.COPY, 13, 0, Nfs4Status.INVAL)))
                .flatMap(rows -> rows);
    }

    private Ops request(Row row) {
        Ops file = file("f");
        long offset = row.offset();
        long length = row.length();
        return switch (row.code()) {
            case LOCK -> file.lockMore(WRITE_LT, offset, length, locked);
            case LOCKT -> file.lockTest(WRITE_LT, offset, length, client.clientId, "holder");
            case LOCKU -> file.unlock(locked, offset, length);
            case READ -> file.read(open, offset, (int) length);
            case READ_PLUS ->
                file.add(OpCode.READ_PLUS, c -> c.words(open).hyper(offset).words((int) length));
            case WRITE -> file.write(open, offset, 2, "x");
            case ALLOCATE -> file.allocate(open, offset, length);
            case DEALLOCATE -> file.deallocate(open, offset, length);
            case SEEK -> file.seek(open, offset, 0);
            case COMMIT -> file.add(OpCode.COMMIT, c -> c.hyper(offset).words((int) length));
            case IO_ADVISE ->
                file.add(
                        OpCode.IO_ADVISE,
                        c -> c.words(open).hyper(offset).hyper(length).words(0));
            case COPY -> copying(offset, 0, length);
            default -> throw new AssertionError(row.code());
        };
    }

    private Ops copying(long from, long to, long count) {
        return file("f").saveFh().data().lookup("g").add(OpCode.COPY, c -> c.words(open)
                .words(target)
                .hyper(from)
                .hyper(to)
                .hyper(count)
                .words(1, 1, 0));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void range_atTheEndOfAllOffsets_hasTheAnswerOfTheRfc(Row row) {
        assertThat(client.statusOf(request(row))).isEqualTo(row.status());
    }

    static Stream<Long> targets() {
        return Stream.of(LAST, HALF, MAX, MAX - 11);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void copy_toWhereNoFileReaches_isFbig(long to) {
        assertThat(client.statusOf(copying(0, to, 12))).isEqualTo(Nfs4Status.FBIG);
        assertThat(client.statusOf(file("f").saveFh().data().lookup("g").add(OpCode.CLONE, c -> c.words(open)
                        .words(target)
                        .hyper(0)
                        .hyper(to)
                        .hyper(12))))
                .isIn(Nfs4Status.FBIG, Nfs4Status.NOTSUPP);
    }

    static Stream<Row> locks() {
        return locking(OpCode.LOCK).filter(row -> row.status() == Nfs4Status.OK);
    }

    /** What is told of a lock names the same bytes, and what is left of it after a release can be named. */
    @ParameterizedTest
    @MethodSource("locks")
    void lock_atTheEndOfAllOffsets_isToldAndReleasedAsItWas(Row row) {
        client.run(file("f").unlock(locked, 0, LAST));
        Reply lock = client.run(file("f").lock(WRITE_LT, false, row.offset(), row.length(), open, "one"));
        lock.afterFile().op(OpCode.LOCK);
        int[] one = lock.stateid();

        Reply denied = client.send(file("f").lockTest(WRITE_LT, 0, LAST, client.clientId, "two"));
        denied.afterFile().op(OpCode.LOCKT, Nfs4Status.DENIED);
        assertThat(denied.hyper()).isEqualTo(row.offset());
        assertThat(denied.hyper()).isEqualTo(row.length());

        client.run(file("f").unlock(one, row.offset(), row.length()));
        assertThat(client.statusOf(file("f").lockTest(WRITE_LT, 0, LAST, client.clientId, "two")))
                .isEqualTo(Nfs4Status.OK);
    }
}
