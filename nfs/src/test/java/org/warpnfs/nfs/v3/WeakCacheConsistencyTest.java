package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v3.V3Server.NO_SATTR;

import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.nfs.testing.HookedFileSystem;

/**
 * Attributes from before a change (RFC 1813, section 2.6, wcc_data) are returned only if nothing else changed the file
 * in between, by whatever call.
 */
class WeakCacheConsistencyTest {
    private static final int[] MODE_600 = {1, 0600, 0, 0, 0, 0, 0};
    private static final int[] SIZE_0 = {0, 0, 0, 1, 0, 0, 0, 0};

    private HookedFileSystem hooked;
    private V3Server server;
    private byte[] root;
    private byte[] file;

    @BeforeEach
    void start() {
        hooked = HookedFileSystem.of(new MemoryFileSystem(1 << 20, 100));
        server = new V3Server(hooked.fileSystem());
        root = server.root();
        file = server.file("f", 0666, "hello");
        server.file("another", 0666, "hello");
        V3Reply linked =
                server.call(V3Server.LINK, c -> c.opaque(file).opaque(root).string("name"));
        assertThat(linked.status()).isEqualTo(Nfs3Status.OK);
    }

    /** A change made on the server, with the handles of its root and of the file. */
    private interface Change extends BiFunction<V3Server, byte[], V3Reply> {}

    private static Named<Change> change(String name, Change change) {
        return Named.of(name, change);
    }

    private static V3Reply write(V3Server server, byte[] file, int stable) {
        return server.call(
                V3Server.WRITE, c -> c.opaque(file).hyper(0).words(1, stable).opaque(new byte[] {'x'}));
    }

    static Stream<Named<Change>> changes() {
        return Stream.of(
                change("write", (server, file) -> write(server, file, 0)),
                change("stable write", (server, file) -> write(server, file, 2)),
                change(
                        "setattr",
                        (server, file) -> server.call(
                                V3Server.SETATTR,
                                c -> c.opaque(file).words(MODE_600).words(0))),
                change(
                        "create that cuts",
                        (server, _) -> server.call(V3Server.CREATE, c -> c.opaque(server.root())
                                .string("f")
                                .words(0)
                                .words(SIZE_0))),
                change(
                        "link",
                        (server, file) -> server.call(
                                V3Server.LINK,
                                c -> c.opaque(file).opaque(server.root()).string("third"))),
                change(
                        "remove",
                        (server, _) -> server.call(
                                V3Server.REMOVE, c -> c.opaque(server.root()).string("name"))),
                change(
                        "rename",
                        (server, _) -> server.call(V3Server.RENAME, c -> c.opaque(server.root())
                                .string("name")
                                .opaque(server.root())
                                .string("renamed"))),
                change(
                        "rename over",
                        (server, _) -> server.call(V3Server.RENAME, c -> c.opaque(server.root())
                                .string("another")
                                .opaque(server.root())
                                .string("name"))));
    }

    private V3Reply.Wcc setAttr() {
        V3Reply reply = server.call(
                V3Server.SETATTR, c -> c.opaque(file).words(MODE_600).words(0));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        return reply.wcc();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void setAttr_fileChangedMeanwhile_hasNoAttributesFromBefore(Change change) {
        hooked.onceBefore(
                "setAttributes",
                () -> assertThat(change.apply(server, file).status()).isEqualTo(Nfs3Status.OK));
        V3Reply.Wcc wcc = setAttr();
        assertThat(hooked.hasHappened()).isTrue();
        assertThat(wcc.before()).isNull();
        assertThat(wcc.after()).isNotNull();
        assertThat(setAttr().before()).as("without another change").isNotNull();
    }

    @ParameterizedTest
    @MethodSource("directoryChanges")
    void makeDirectory_parentChangedMeanwhile_hasNoAttributesFromBefore(Change change) {
        hooked.onceBefore(
                "makeDirectory",
                () -> assertThat(change.apply(server, file).status()).isEqualTo(Nfs3Status.OK));
        assertThat(makeDirectory("first").before()).isNull();
        assertThat(hooked.hasHappened()).isTrue();
        assertThat(makeDirectory("second").before())
                .as("without another change")
                .isNotNull();
    }

    static Stream<Named<Change>> directoryChanges() {
        return Stream.of(
                change("setattr", (server, _) -> {
                    // The root belongs to the superuser.
                    byte[] trusted = server.through(server.trusting, server.root());
                    server.uid = 0;
                    try {
                        return server.call(V3Server.SETATTR, c -> c.opaque(trusted)
                                .words(1, 0777, 0, 0, 0, 0, 0)
                                .words(0));
                    } finally {
                        server.uid = V3Server.ALICE;
                    }
                }),
                change(
                        "create",
                        (server, _) -> server.call(V3Server.CREATE, c -> c.opaque(server.root())
                                .string("new")
                                .words(1)
                                .words(NO_SATTR))),
                change(
                        "link",
                        (server, file) -> server.call(
                                V3Server.LINK,
                                c -> c.opaque(file).opaque(server.root()).string("third"))),
                change(
                        "remove",
                        (server, _) -> server.call(
                                V3Server.REMOVE, c -> c.opaque(server.root()).string("name"))),
                change(
                        "rename",
                        (server, _) -> server.call(V3Server.RENAME, c -> c.opaque(server.root())
                                .string("name")
                                .opaque(server.root())
                                .string("renamed"))));
    }

    private V3Reply.Wcc makeDirectory(String name) {
        V3Reply reply =
                server.call(V3Server.MKDIR, c -> c.opaque(root).string(name).words(NO_SATTR));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        reply.postOpHandle();
        reply.postOp();
        return reply.wcc();
    }
}
