package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * One directory exported twice, and an export within another. Locks, shares and delegations belong to the file,
 * whatever the export.
 */
class OverlappingExportsTest {
    /** Paths of exports through which the file f can be reached. */
    private static final String INNER = "inner";

    @TempDir
    Path base;

    private final Map<String, FileSystem> files = new LinkedHashMap<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private V4Server server;

    @BeforeEach
    void start() throws Exception {
        Path inner = Files.createDirectory(base.resolve("deep"));
        Files.writeString(inner.resolve("f"), "contents");
        files.put("/outer", LocalFileSystem.open(base, LocalOptions.DEFAULTS));
        files.put("/twin", LocalFileSystem.open(base, LocalOptions.DEFAULTS));
        files.put("/inner", LocalFileSystem.open(inner, LocalOptions.DEFAULTS));
        Map<String, FileSystem> watched = new LinkedHashMap<>();
        files.forEach((path, fileSystem) -> watched.put(path, watched(path, fileSystem)));
        server = V4Server.exporting(watched);
    }

    /** Records the export through which a file is written and synced. */
    private FileSystem watched(String path, FileSystem fileSystem) {
        return proxy(FileSystem.class, (method, args) -> {
            Object result = invoke(method, fileSystem, args);
            return result instanceof OpenFile file
                    ? proxy(OpenFile.class, (call, arguments) -> {
                        calls.add(call.getName() + " " + path);
                        return invoke(call, file, arguments);
                    })
                    : result;
        });
    }

    private interface Invocation {
        Object of(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Invocation invocation) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> invocation.of(method, args)));
    }

    private static Object invoke(Method method, Object target, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private List<String> callsOf(String method) {
        return calls.stream().filter(call -> call.startsWith(method + " ")).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"outer", "twin"})
    void commit_whileAnotherHasTheFileOpenThroughAnotherExport_syncsWhatWasWrittenThroughItsOwn(String other) {
        V4Client first = V4Client.mounted(server, "first", 0);
        V4Client second = V4Client.mounted(server, "second", 0);
        open(first, other, 3);

        assertThat(second.statusOf(directory(INNER).lookup("f").write(Ops.ANONYMOUS, 0, 0, "x")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(second.statusOf(directory(INNER).lookup("f").commit())).isEqualTo(Nfs4Status.OK);
        assertThat(callsOf("write")).containsExactly("write /inner");
        assertThat(callsOf("sync"))
                .as("the descriptor that is told of a loss, under the verifier that tells of it")
                .containsExactly("sync /inner");
    }

    @ParameterizedTest
    @ValueSource(strings = {"outer", "twin"})
    void io_withAStateidOfAnotherExport_goesThroughItsOwn(String other) {
        V4Client client = V4Client.mounted(server, "client", 0);
        int[] stateid = open(client, other, 3);

        assertThat(client.statusOf(directory(INNER).lookup("f").write(stateid, 0, 0, "x")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(directory(INNER).lookup("f").read(stateid, 0, 10)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(callsOf("write")).containsExactly("write /inner");
        assertThat(callsOf("read")).containsExactly("read /inner");
        assertThat(callsOf("close")).containsExactly("close /inner", "close /inner");
    }

    @AfterEach
    void stop() {
        server.close();
        files.values().forEach(FileSystem::close);
    }

    /** Goes from the root to the directory that holds the file. */
    private static Ops directory(String export) {
        Ops at = new Ops().root().lookup(export);
        return export.equals(INNER) ? at : at.lookup("deep");
    }

    private static Reply after(Reply reply, String export) {
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.LOOKUP);
        if (!export.equals(INNER)) {
            reply.op(OpCode.LOOKUP);
        }
        return reply;
    }

    private static int[] open(V4Client client, String export, int access) {
        return after(client.run(directory(export).open("o", "f", access, 0)), export)
                .open();
    }

    @ParameterizedTest
    @ValueSource(strings = {"outer", "twin"})
    void exclusiveLock_throughOneExport_isSeenThroughTheOther(String other) {
        V4Client first = V4Client.mounted(server, "first", 0);
        V4Client second = V4Client.mounted(server, "second", 0);
        int[] mine = open(first, INNER, 3);
        int[] theirs = open(second, other, 3);

        assertThat(first.statusOf(directory(INNER).lookup("f").lock(2, false, 0, 10, mine, "alice")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(second.statusOf(directory(other).lookup("f").lock(2, false, 5, 10, theirs, "bob")))
                .isEqualTo(Nfs4Status.DENIED);
        assertThat(second.statusOf(directory(other).lookup("f").lock(2, false, 10, 10, theirs, "bob")))
                .as("a range that nobody holds")
                .isEqualTo(Nfs4Status.OK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"outer", "twin"})
    void shareDeny_throughOneExport_holdsForTheOther(String other) {
        V4Client first = V4Client.mounted(server, "first", 0);
        first.run(directory(INNER).open("o", "f", 1, 2));
        V4Client second = V4Client.mounted(server, "second", 0);

        assertThat(second.statusOf(directory(other).open("o", "f", 2, 0))).isEqualTo(Nfs4Status.SHARE_DENIED);
        assertThat(second.statusOf(directory(other).open("o", "f", 1, 0))).isEqualTo(Nfs4Status.OK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"outer", "twin"})
    void delegation_throughOneExport_isRecalledForAChangeThroughTheOther(String other) {
        V4Client holder = V4Client.callable(server, "holder", 0);
        after(holder.run(directory(INNER).open("o", "f", 1, 0)), INNER).readDelegation();
        V4Client writer = V4Client.mounted(server, "writer", 0);

        assertThat(writer.statusOf(directory(other).lookup("f").write(Ops.ANONYMOUS, 0, 2, "x")))
                .isEqualTo(Nfs4Status.DELAY);
        assertThat(holder.nextCallback()).as("CB_RECALL").isNotNull();
        assertThat(writer.statusOf(directory(other).open("o", "f", 2, 0))).isEqualTo(Nfs4Status.DELAY);
    }

    @Test
    void writer_throughOneExport_leavesNoDelegationToTheOther() {
        V4Client writer = V4Client.mounted(server, "writer", 0);
        open(writer, "outer", 2);
        V4Client reader = V4Client.callable(server, "reader", 0);

        assertThat(after(reader.run(directory(INNER).open("o", "f", 1, 0)), INNER)
                        .openUpToDelegation())
                .as("none")
                .isZero();
    }

    @Test
    void changeWindow_throughOneExport_isSeenThroughTheOther() throws Exception {
        var windows = server.exports.changeWindows();
        var outer = windows.begin(identity("/outer", "deep", "f"));
        var inner = windows.begin(identity("/inner", "f"));

        assertThat(inner.end()).isFalse();
        assertThat(outer.end()).isFalse();
        assertThat(identity("/twin", "deep")).isNotEqualTo(identity("/twin", "deep", "f"));

        try (FileChanges.Change _ = server.program().fileChanges().begin(identity("/twin", "deep", "f"))) {
            V4Client reader = V4Client.callable(server, "reader", 0);
            assertThat(after(reader.run(directory(INNER).open("o", "f", 1, 0)), INNER)
                            .openUpToDelegation())
                    .as("none while it is being changed")
                    .isZero();
        }
    }

    private org.warpnfs.fs.spi.FileIdentity identity(String export, String... path) throws Exception {
        FileSystem fs = files.get(export);
        FileHandle at = fs.root();
        for (String name : path) {
            at = fs.lookup(org.warpnfs.fs.spi.Caller.ROOT, at, FileName.of(name))
                    .handle();
        }
        return fs.identity(at);
    }
}
