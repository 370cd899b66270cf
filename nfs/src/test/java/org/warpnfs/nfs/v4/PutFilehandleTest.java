package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Which operation answers WRONGSEC, row by row as RFC 8881, section 2.6.3.1 says. The client has AUTH_SYS; /open takes
 * it, /shut and its directory "dir" do not, and /shut/in, an export in /shut, does.
 */
class PutFilehandleTest {
    private static final ExportOptions OPTIONS = ExportOptions.DEFAULTS.withSquash(Squash.NONE);
    private static final String OPEN = "open";
    private static final String SHUT = "shut";
    private static final String DIR = "dir";

    private final MemoryFileSystem openFiles = new MemoryFileSystem(1 << 20, 100);
    private final MemoryFileSystem shutFiles = new MemoryFileSystem(1 << 20, 100);
    private final MemoryFileSystem innerFiles = new MemoryFileSystem(1 << 20, 100);
    private final Export open = export("/open", openFiles, Flavor.SYS);
    private final Export shut = export("/shut", shutFiles, Flavor.KRB5P);
    private final Export inner = export("/shut/in", innerFiles, Flavor.SYS);
    private byte[] directory = {};
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() throws Exception {
        for (MemoryFileSystem files : List.of(openFiles, shutFiles, innerFiles)) {
            files.setAttributes(Caller.ROOT, files.root(), AttributeChanges.ofPermissions(0777));
        }
        shutFiles.makeDirectory(Caller.ROOT, shutFiles.root(), FileName.of("in"), AttributeChanges.ofPermissions(0777));
        var made = shutFiles.makeDirectory(
                Caller.ROOT, shutFiles.root(), FileName.of(DIR), AttributeChanges.ofPermissions(0777));
        server = V4Server.of(ExportTable.of(List.of(open, shut, inner)));
        directory = server.handles.encode(shut.root().sibling(made.handle()));
        client = V4Client.mounted(server, "client", 1000);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Export export(String path, MemoryFileSystem files, Flavor flavor) {
        return Export.of(PseudoPath.of(path), files, OPTIONS.withFlavors(List.of(flavor)), "memory");
    }

    /**
     * A COMPOUND, after SEQUENCE.
     *
     * @param last the operation that ends it, and its status
     */
    private record Row(String section, List<Step> steps, OpCode last, Nfs4Status status) {
        @Override
        public String toString() {
            return section + " " + steps + " " + last + " " + status;
        }
    }

    /** One operation; PUTFH with the name of what it puts. */
    private record Step(OpCode code, String argument, UnaryOperator<Ops> add) {
        @Override
        public String toString() {
            return code + (argument.isEmpty() ? "" : " " + argument);
        }
    }

    private static Step put(String what) {
        return new Step(OpCode.PUTFH, what, ops -> ops);
    }

    private static Step op(OpCode code, int... words) {
        return new Step(code, "", ops -> ops.op(code, words));
    }

    private static Step named(OpCode code, String... names) {
        return new Step(code, String.join(" ", names), ops -> ops.named(code, names));
    }

    private static final Step SAVE = op(OpCode.SAVEFH);
    private static final Step RESTORE = op(OpCode.RESTOREFH);
    private static final Step GETATTR = op(OpCode.GETATTR, 0);
    private static final Step ROOT = op(OpCode.PUTROOTFH);
    private static final Step PUBLIC = op(OpCode.PUTPUBFH);
    private static final Step OPEN_NAME = new Step(OpCode.OPEN, "CLAIM_NULL", ops -> ops.open("o", "f", 1, 0));
    private static final Step CREATE_NAME =
            new Step(OpCode.OPEN, "CLAIM_NULL, create", ops -> ops.openCreate("owner", "f", 3, 0));
    private static final Step OPEN_FH = new Step(OpCode.OPEN, "CLAIM_FH", ops -> ops.openFh("o", 1));
    private static final Step OPEN_PREVIOUS =
            new Step(OpCode.OPEN, "CLAIM_PREVIOUS", ops -> ops.openPreviousDelegatedToWriteForReading("o"));
    private static final Step OPEN_DELEGATED =
            new Step(OpCode.OPEN, "CLAIM_DELEG_CUR_FH", ops -> ops.openDelegatedFhToWrite("o", new int[4]));

    private static final Step OPEN_DELEGATED_NAME =
            new Step(OpCode.OPEN, "CLAIM_DELEGATE_CUR", ops -> ops.openDelegated("o", "f", new int[4]));
    private static final Step OPEN_BEFORE =
            new Step(OpCode.OPEN, "CLAIM_DELEGATE_PREV", ops -> ops.openDelegatedBefore("o", "f"));
    private static final Step OPEN_BEFORE_FH =
            new Step(OpCode.OPEN, "CLAIM_DELEG_PREV_FH", ops -> ops.openDelegatedBeforeFh("o"));

    private static Row wrong(String section, OpCode last, Step... steps) {
        return new Row(section, List.of(steps), last, Nfs4Status.WRONGSEC);
    }

    private static Row ends(String section, OpCode last, Nfs4Status status, Step... steps) {
        return new Row(section, List.of(steps), last, status);
    }

    static Stream<Row> rows() {
        List<Row> rows = new ArrayList<>();
        // Put filehandle operation and SAVEFH
        String save = "2.6.3.1.1.1";
        rows.add(ends(save, OpCode.SAVEFH, Nfs4Status.OK, put(SHUT), SAVE));
        rows.add(ends(save, OpCode.SAVEFH, Nfs4Status.OK, put(SHUT), SAVE, SAVE));
        rows.add(ends(save, OpCode.GETATTR, Nfs4Status.OK, put(SHUT), SAVE, put(OPEN), GETATTR));
        rows.add(wrong(save, OpCode.PUTFH, put(SHUT), SAVE, GETATTR));
        rows.add(wrong(save, OpCode.PUTFH, put(SHUT), SAVE, SAVE, OPEN_FH));
        rows.add(wrong(save, OpCode.LOOKUP, put(SHUT), SAVE, named(OpCode.LOOKUP, DIR)));
        rows.add(wrong(save, OpCode.OPEN, put(SHUT), SAVE, OPEN_NAME));
        // Two or more
        String several = "2.6.3.1.1.2";
        rows.add(ends(several, OpCode.GETATTR, Nfs4Status.OK, put(SHUT), put(SHUT), ROOT, GETATTR));
        rows.add(ends(several, OpCode.GETATTR, Nfs4Status.OK, put(SHUT), PUBLIC, GETATTR));
        rows.add(ends(several, OpCode.LOOKUP, Nfs4Status.OK, put(SHUT), ROOT, named(OpCode.LOOKUP, OPEN)));
        rows.add(ends(several, OpCode.RESTOREFH, Nfs4Status.OK, put(SHUT), SAVE, put(OPEN), RESTORE));
        rows.add(wrong(several, OpCode.RESTOREFH, put(SHUT), SAVE, put(OPEN), RESTORE, GETATTR));
        rows.add(wrong(several, OpCode.PUTFH, put(OPEN), SAVE, put(SHUT), GETATTR));
        // LOOKUP, or OPEN of a name
        String lookup = "2.6.3.1.1.3";
        rows.add(wrong(lookup, OpCode.LOOKUP, put(SHUT), named(OpCode.LOOKUP, DIR)));
        rows.add(wrong(lookup, OpCode.LOOKUP, ROOT, named(OpCode.LOOKUP, SHUT)));
        rows.add(wrong(lookup, OpCode.OPEN, put(SHUT), OPEN_NAME));
        rows.add(wrong(lookup, OpCode.OPEN, put(SHUT), CREATE_NAME));
        rows.add(wrong(lookup, OpCode.OPEN, put(SHUT), OPEN_DELEGATED_NAME));
        rows.add(wrong(lookup, OpCode.OPEN, put(SHUT), OPEN_BEFORE));
        rows.add(wrong(lookup, OpCode.OPEN, put(SHUT), SAVE, put(OPEN), RESTORE, OPEN_NAME));
        rows.add(ends(lookup, OpCode.GETATTR, Nfs4Status.OK, put(SHUT), named(OpCode.LOOKUP, "in"), GETATTR));
        // LOOKUPP
        String parent = "2.6.3.1.1.4";
        rows.add(ends(parent, OpCode.GETATTR, Nfs4Status.OK, put(SHUT), op(OpCode.LOOKUPP), GETATTR));
        rows.add(wrong(parent, OpCode.LOOKUPP, put(DIR), op(OpCode.LOOKUPP), GETATTR));
        rows.add(wrong(parent, OpCode.LOOKUPP, put("in"), op(OpCode.LOOKUPP)));
        // SECINFO and SECINFO_NO_NAME
        String secinfo = "2.6.3.1.1.5";
        rows.add(ends(secinfo, OpCode.SECINFO, Nfs4Status.OK, put(SHUT), named(OpCode.SECINFO, DIR)));
        rows.add(ends(secinfo, OpCode.SECINFO, Nfs4Status.OK, put(SHUT), named(OpCode.SECINFO, "in")));
        rows.add(ends(secinfo, OpCode.SECINFO, Nfs4Status.OK, ROOT, named(OpCode.SECINFO, SHUT)));
        for (String what : List.of(SHUT, DIR, "in", OPEN)) {
            rows.add(ends(secinfo, OpCode.SECINFO_NO_NAME, Nfs4Status.OK, put(what), op(OpCode.SECINFO_NO_NAME, 0)));
            rows.add(ends(secinfo, OpCode.SECINFO_NO_NAME, Nfs4Status.OK, put(what), op(OpCode.SECINFO_NO_NAME, 1)));
        }
        // Nothing
        rows.add(ends("2.6.3.1.1.6", OpCode.PUTFH, Nfs4Status.OK, put(SHUT)));
        // Anything else
        String other = "2.6.3.1.1.7";
        for (Step each : List.of(
                GETATTR,
                op(OpCode.GETFH),
                op(OpCode.ACCESS, 1),
                op(OpCode.READLINK),
                named(OpCode.REMOVE, "f"),
                OPEN_FH,
                OPEN_PREVIOUS,
                OPEN_DELEGATED,
                OPEN_BEFORE_FH,
                // An operation without arguments that are long enough to have a claim
                op(OpCode.OPEN, 0, 1))) {
            rows.add(wrong(other, OpCode.PUTFH, put(SHUT), each));
            rows.add(wrong(other, OpCode.RESTOREFH, put(SHUT), SAVE, put(OPEN), RESTORE, each));
        }
        // After SECINFO
        rows.add(ends(
                "2.6.3.1.1.8",
                OpCode.GETATTR,
                Nfs4Status.NOFILEHANDLE,
                put(SHUT),
                op(OpCode.SECINFO_NO_NAME, 0),
                GETATTR));
        // LINK and RENAME, and their kin
        String link = "2.6.3.1.2";
        for (Step each : List.of(
                named(OpCode.LINK, "l"),
                named(OpCode.RENAME, "a", "b"),
                op(OpCode.COPY, new int[17]),
                op(OpCode.CLONE, new int[14]))) {
            rows.add(ends(link, each.code(), Nfs4Status.XDEV, put(SHUT), SAVE, put(OPEN), each));
            rows.add(wrong(link, OpCode.PUTFH, put(OPEN), SAVE, put(SHUT), each));
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void wrongSec_isAnsweredByTheOperationThatTheRfcNames(Row row) {
        Ops ops = new Ops();
        for (Step step : row.steps()) {
            ops = step.code() == OpCode.PUTFH
                    ? ops.putFh(handle(step.argument()))
                    : step.add().apply(ops);
        }
        Reply reply = client.send(ops);

        assertThat(reply.status()).isEqualTo(row.status());
        assertThat(row.steps().get(reply.count() - 2).code())
                .as("the last operation")
                .isEqualTo(row.last());
        if (row.last() == OpCode.PUTFH || row.last() == OpCode.RESTOREFH) {
            long before = row.steps().subList(0, reply.count() - 1).stream()
                    .filter(step -> step.code() == row.last())
                    .count();
            assertThat(before).as("it is the last of its kind").isEqualTo(countOf(row));
        }
    }

    /** PUTROOTFH and PUTPUBFH, where the root is an export that does not take AUTH_SYS. */
    static Stream<Row> rowsOfAShutRoot() {
        List<Row> rows = new ArrayList<>();
        for (Step put : List.of(ROOT, PUBLIC)) {
            rows.add(ends("2.6.3.1.1.6", put.code(), Nfs4Status.OK, put));
            rows.add(wrong("2.6.3.1.1.7", put.code(), put, GETATTR));
            rows.add(wrong("2.6.3.1.1.7", put.code(), put, op(OpCode.GETFH)));
            rows.add(ends("2.6.3.1.1.1", OpCode.SAVEFH, Nfs4Status.OK, put, SAVE));
            rows.add(wrong("2.6.3.1.1.1", put.code(), put, SAVE, GETATTR));
            rows.add(wrong("2.6.3.1.1.3", OpCode.LOOKUP, put, named(OpCode.LOOKUP, DIR)));
            rows.add(wrong("2.6.3.1.1.3", OpCode.OPEN, put, OPEN_NAME));
            rows.add(ends("2.6.3.1.1.3", OpCode.GETATTR, Nfs4Status.OK, put, named(OpCode.LOOKUP, "in"), GETATTR));
            rows.add(ends("2.6.3.1.1.5", OpCode.SECINFO, Nfs4Status.OK, put, named(OpCode.SECINFO, DIR)));
            rows.add(ends("2.6.3.1.1.5", OpCode.SECINFO_NO_NAME, Nfs4Status.OK, put, op(OpCode.SECINFO_NO_NAME, 0)));
            rows.add(ends("18.45.3", OpCode.SECINFO_NO_NAME, Nfs4Status.NOENT, put, op(OpCode.SECINFO_NO_NAME, 1)));
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("rowsOfAShutRoot")
    void wrongSec_ofTheRoot_isAnsweredByTheOperationThatTheRfcNames(Row row) {
        try (V4Server shutRoot = V4Server.of(
                ExportTable.of(List.of(export("/", shutFiles, Flavor.KRB5P), export("/in", innerFiles, Flavor.SYS))))) {
            Ops ops = new Ops();
            for (Step step : row.steps()) {
                ops = step.add().apply(ops);
            }
            Reply reply = V4Client.mounted(shutRoot, "client", 1000).send(ops);

            assertThat(reply.status()).isEqualTo(row.status());
            assertThat(row.steps().get(reply.count() - 2).code())
                    .as("the last operation")
                    .isEqualTo(row.last());
        }
    }

    private static long countOf(Row row) {
        return row.steps().stream().filter(step -> step.code() == row.last()).count();
    }

    private byte[] handle(String what) {
        return switch (what) {
            case OPEN -> server.handles.encode(open.root());
            case SHUT -> server.handles.encode(shut.root());
            case "in" -> server.handles.encode(inner.root());
            default -> directory;
        };
    }
}
