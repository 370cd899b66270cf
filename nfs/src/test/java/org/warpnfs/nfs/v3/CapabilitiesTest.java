package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v3.V3Server.NO_SATTR;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.nfs.testing.LimitedFileSystem;

/** What a client of a backend with few capabilities is told: properties, and proper errors. */
class CapabilitiesTest {
    private static final Set<Capability> ALL_BUT_WRITE = EnumSet.complementOf(EnumSet.of(Capability.WRITE));

    private final LimitedFileSystem limited = new LimitedFileSystem(new MemoryFileSystem(16 << 20, 1000));
    private final V3Server server = new V3Server(limited.fileSystem());
    private final byte[] root = server.root();
    private final byte[] file = server.file("f", 0666, "hello");

    private V3Reply ok(int procedure) {
        V3Reply reply = server.call(procedure, c -> c.opaque(root));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isNotNull();
        return reply;
    }

    @Test
    void fsinfo_ofAFewCapabilities_tellsThem() {
        limited.limit(2_000_000_000, 65_536, ALL_BUT_WRITE);
        V3Reply reply = ok(V3Server.FSINFO);
        for (int size : new int[] {V3Server.MIB, 65_536, 4096, V3Server.MIB, 65_536, 4096, 64 << 10}) {
            assertThat(reply.word()).isEqualTo(size);
        }
        reply.hyper();
        assertThat(reply.word()).as("time_delta, seconds").isEqualTo(2);
        assertThat(reply.word()).as("time_delta, nanoseconds").isZero();
        assertThat(reply.word()).as("homogeneous, and times can be set").isEqualTo(0x18);
        reply.end();

        limited.limit(1, 1 << 30, EnumSet.of(Capability.WRITE));
        V3Reply readOnly = ok(V3Server.FSINFO);
        assertThat(readOnly.word()).isEqualTo(V3Server.MIB);
        assertThat(readOnly.word()).as("not more than the server takes").isEqualTo(V3Server.MIB);
        for (int i = 0; i < 5; i++) {
            readOnly.word();
        }
        readOnly.hyper();
        readOnly.hyper();
        assertThat(readOnly.word()).isEqualTo(0x08);
    }

    @Test
    void pathconfAndFsstat_ofAFewCapabilities_tellThem() {
        limited.limit(1, 0, ALL_BUT_WRITE);
        V3Reply pathconf = ok(V3Server.PATHCONF);
        assertThat(pathconf.word()).as("linkmax").isEqualTo(1);
        assertThat(pathconf.word()).as("name_max").isEqualTo(200);
        V3Reply space = ok(V3Server.FSSTAT);
        for (int i = 0; i < 6; i++) {
            assertThat(space.hyper()).isZero();
        }
    }

    private Map<String, Supplier<V3Reply>> changes() {
        Map<String, Supplier<V3Reply>> changes = new TreeMap<>();
        changes.put(
                "SYMLINK",
                () -> server.call(
                        V3Server.SYMLINK,
                        c -> c.opaque(root).string("s").words(NO_SATTR).string("to")));
        changes.put(
                "MKNOD",
                () -> server.call(
                        V3Server.MKNOD, c -> c.opaque(root).string("p").words(7).words(NO_SATTR)));
        changes.put(
                "LINK",
                () -> server.call(
                        V3Server.LINK, c -> c.opaque(file).opaque(root).string("g")));
        changes.put(
                "RENAME",
                () -> server.call(
                        V3Server.RENAME,
                        c -> c.opaque(root).string("f").opaque(root).string("g")));
        return changes;
    }

    @Test
    void changes_thatTheBackendLacks_areNotSupported() {
        limited.limit(1, 0, ALL_BUT_WRITE);
        changes()
                .forEach(
                        (name, call) -> assertThat(call.get().status()).as(name).isEqualTo(Nfs3Status.NOTSUPP));
        assertThat(server.exists("f")).isTrue();
        assertThat(server.exists("g")).isFalse();
        assertThat(server.aclCall(1, c -> c.opaque(root).words(0xf)).status()).isEqualTo(Nfs3Status.NOTSUPP);
    }

    @Test
    void changes_ofATreeThatCannotBeWritten_areRofs() {
        limited.limit(1, 0, EnumSet.of(Capability.WRITE));
        Map<String, Supplier<V3Reply>> changes = changes();
        changes.put(
                "CREATE",
                () -> server.call(
                        V3Server.CREATE,
                        c -> c.opaque(root).string("n").words(0).words(NO_SATTR)));
        changes.put(
                "MKDIR",
                () -> server.call(
                        V3Server.MKDIR, c -> c.opaque(root).string("n").words(NO_SATTR)));
        changes.put(
                "REMOVE", () -> server.call(V3Server.REMOVE, c -> c.opaque(root).string("f")));
        changes.put(
                "SETATTR",
                () -> server.call(
                        V3Server.SETATTR, c -> c.opaque(file).words(NO_SATTR).words(0)));
        changes.put(
                "WRITE",
                () -> server.call(
                        V3Server.WRITE, c -> c.opaque(file).words(0, 0, 1, 0).opaque(new byte[1])));
        changes.forEach((name, call) -> assertThat(call.get().status()).as(name).isEqualTo(Nfs3Status.ROFS));
        V3Reply access = server.call(V3Server.ACCESS, c -> c.opaque(file).words(0x3f));
        assertThat(access.status()).isEqualTo(Nfs3Status.OK);
        assertThat(access.postOp()).isNotNull();
        assertThat(access.word()).as("READ alone").isEqualTo(1);
        V3Reply read = server.call(V3Server.READ, c -> c.opaque(file).words(0, 0, 5));
        assertThat(read.status()).isEqualTo(Nfs3Status.OK);
    }
}
