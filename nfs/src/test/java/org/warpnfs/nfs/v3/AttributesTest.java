package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v3.V3Server.ACCESS;
import static org.warpnfs.nfs.v3.V3Server.FSINFO;
import static org.warpnfs.nfs.v3.V3Server.FSSTAT;
import static org.warpnfs.nfs.v3.V3Server.GETATTR;
import static org.warpnfs.nfs.v3.V3Server.LOOKUP;
import static org.warpnfs.nfs.v3.V3Server.MKNOD;
import static org.warpnfs.nfs.v3.V3Server.PATHCONF;
import static org.warpnfs.nfs.v3.V3Server.READLINK;
import static org.warpnfs.nfs.v3.V3Server.SETATTR;
import static org.warpnfs.nfs.v3.V3Server.SYMLINK;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AttributesTest {
    private static final int ALL_ACCESS = 0x3f;

    private final V3Server server = new V3Server();
    private final byte[] file = server.file("f", 0640, "hello");
    private final byte[] directory = server.directory("d", 0755);

    private V3Reply lookup(byte[] in, String name) {
        return server.call(LOOKUP, c -> c.opaque(in).string(name));
    }

    private V3Reply setAttr(byte[] handle, int[] sattr, int... guard) {
        return server.call(SETATTR, c -> c.opaque(handle).words(sattr).words(guard));
    }

    private static Nfs3Status refused(V3Reply reply) {
        Nfs3Status status = reply.status();
        assertThat(reply.wcc().before()).isNull();
        reply.end();
        return status;
    }

    @Test
    void getattr_regularFile_isWhatTheBackendSays() {
        V3Reply reply = server.call(GETATTR, c -> c.opaque(file));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        V3Reply.Attributes attributes = reply.attributes();
        reply.end();
        assertThat(attributes.type()).isEqualTo(1);
        assertThat(attributes.mode()).isEqualTo(0640);
        assertThat(attributes.nlink()).isEqualTo(1);
        assertThat(attributes.uid()).isEqualTo(V3Server.ALICE);
        assertThat(attributes.gid()).isEqualTo(V3Server.GROUP);
        assertThat(attributes.size()).isEqualTo(5);
        assertThat(attributes.ctime()).isNotZero();
        assertThat(attributes.fsid() >>> 32).isEqualTo(Integer.toUnsignedLong(server.data.key()));
    }

    @Test
    void getattr_throughTwoExports_differsInFsidAlone() {
        V3Reply.Attributes here = server.attributes(file);
        V3Reply.Attributes there = server.attributes(server.through(server.readOnly, file));
        assertThat(there.fsid()).isNotEqualTo(here.fsid());
        assertThat(there.fileid()).isEqualTo(here.fileid());
        assertThat(new V3Server(server.fs).attributes(file))
                .as("after a restart")
                .isEqualTo(here);
    }

    @Test
    void getattr_handlesThatNameNothing_areBadOrStale() {
        for (byte[] handle : new byte[][] {{}, new byte[64], Arrays.copyOf(file, file.length - 1)}) {
            V3Reply reply = server.call(GETATTR, c -> c.opaque(handle));
            assertThat(reply.status()).isEqualTo(Nfs3Status.BADHANDLE);
            reply.end();
        }
        assertThat(server.call(V3Server.REMOVE, c -> c.opaque(server.root()).string("f"))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(server.call(GETATTR, c -> c.opaque(file)).status()).isEqualTo(Nfs3Status.STALE);
        assertThat(server.call(GETATTR, c -> c.opaque(new byte[65])).stat()).isEqualTo(V3Reply.GARBAGE_ARGS);
    }

    @Test
    void setattr_modeSizeAndTimes_areSet() {
        int[] sattr = {1, 0101755, 0, 0, 1, 0, 3, 2, 1_000, 5, 1};
        V3Reply reply = setAttr(file, sattr, 0);
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        V3Reply.Wcc wcc = reply.wcc();
        reply.end();
        assertThat(wcc.before().size()).isEqualTo(5);
        assertThat(wcc.after().size()).isEqualTo(3);
        assertThat(wcc.after().mode()).isEqualTo(01755);
        assertThat(wcc.after().atime()).isEqualTo(1_000L << 32 | 5);
        assertThat(wcc.after().ctime()).isNotEqualTo(wcc.before().ctime());
        assertThat(server.attributes(file)).isEqualTo(wcc.after());
    }

    @Test
    void setattr_guard_letsOnlyTheKnownFileBeChanged() {
        long ctime = server.attributes(file).ctime();
        int[] toMode600 = {1, 0600, 0, 0, 0, 0, 0};
        assertThat(refused(setAttr(file, toMode600, 1, (int) (ctime >>> 32), (int) ctime + 1)))
                .isEqualTo(Nfs3Status.NOT_SYNC);
        assertThat(server.attributes(file).mode()).isEqualTo(0640);
        assertThat(setAttr(file, toMode600, 1, (int) (ctime >>> 32), (int) ctime)
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(server.attributes(file).mode()).isEqualTo(0600);
    }

    @Test
    void setattr_valuesNoFileCanHave_areRefused() {
        assertThat(refused(setAttr(file, new int[] {0, 0, 0, 0, 2, 1, 1_000_000_000, 0}, 0)))
                .isEqualTo(Nfs3Status.INVAL);
        assertThat(refused(setAttr(file, new int[] {0, 0, 0, 1, -1, -1, 0, 0}, 0)))
                .isEqualTo(Nfs3Status.FBIG);
        assertThat(setAttr(file, new int[] {0, 0, 0, 0, 3, 0}, 0).stat()).isEqualTo(V3Reply.GARBAGE_ARGS);
        assertThat(setAttr(file, new int[] {2, 0, 0, 0, 0, 0}, 0).stat()).isEqualTo(V3Reply.GARBAGE_ARGS);
    }

    @Test
    void setattr_strangers_mayNot() {
        int[] toMode777 = {1, 0777, 0, 0, 0, 0, 0};
        int[] toRoot = {0, 1, 0, 0, 0, 0, 0};
        assertThat(refused(setAttr(file, toRoot, 0))).isEqualTo(Nfs3Status.PERM);
        server.uid = 2000;
        assertThat(refused(setAttr(file, toMode777, 0))).isEqualTo(Nfs3Status.PERM);
        server.uid = 0;
        assertThat(refused(setAttr(file, toMode777, 0))).isEqualTo(Nfs3Status.PERM);
        assertThat(setAttr(server.through(server.trusting, file), toRoot, 0).status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(server.attributes(file).uid()).isZero();
    }

    @Test
    void lookup_name_isTheFileAndTheDirectory() {
        V3Reply reply = lookup(server.root(), "f");
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.handle()).isEqualTo(file);
        assertThat(reply.postOp()).isEqualTo(server.attributes(file));
        assertThat(reply.postOp()).isEqualTo(server.attributes(server.root()));
        reply.end();
    }

    @Test
    void lookup_dots_stayWithinTheExport() {
        V3Reply self = lookup(directory, ".");
        assertThat(self.status()).isEqualTo(Nfs3Status.OK);
        assertThat(self.handle()).isEqualTo(directory);
        V3Reply parent = lookup(directory, "..");
        assertThat(parent.status()).isEqualTo(Nfs3Status.OK);
        assertThat(parent.handle()).isEqualTo(server.root());
        V3Reply top = lookup(server.root(), "..");
        assertThat(top.status()).isEqualTo(Nfs3Status.OK);
        assertThat(top.handle()).isEqualTo(server.root());
        assertThat(lookup(file, ".").status()).isEqualTo(Nfs3Status.NOTDIR);
        assertThat(lookup(file, "..").status()).isEqualTo(Nfs3Status.NOTDIR);
    }

    @Test
    void lookup_namesThatCannotBe_areRefused() {
        V3Reply missing = lookup(server.root(), "missing");
        assertThat(missing.status()).isEqualTo(Nfs3Status.NOENT);
        assertThat(missing.postOp()).isEqualTo(server.attributes(server.root()));
        missing.end();
        assertThat(lookup(server.root(), "n".repeat(256)).status()).isEqualTo(Nfs3Status.NAMETOOLONG);
        assertThat(lookup(server.root(), "n".repeat(100_000)).status()).isEqualTo(Nfs3Status.NAMETOOLONG);
        assertThat(lookup(server.root(), "").status()).isEqualTo(Nfs3Status.ACCES);
        assertThat(lookup(server.root(), "d/x").status()).isEqualTo(Nfs3Status.ACCES);
        assertThat(lookup(file, "x").status()).isEqualTo(Nfs3Status.NOTDIR);
    }

    @Test
    void lookup_directoryThatMayNotBeSearched_isRefused() {
        byte[] shut = server.directory("shut", 0700);
        server.uid = 0;
        assertThat(lookup(shut, "x").status()).isEqualTo(Nfs3Status.ACCES);
        assertThat(lookup(server.through(server.trusting, shut), "x").status()).isEqualTo(Nfs3Status.NOENT);
    }

    private int access(byte[] handle) {
        V3Reply reply = server.call(ACCESS, c -> c.opaque(handle).words(-1));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isNotNull();
        int granted = reply.word();
        reply.end();
        assertThat(granted & ~ALL_ACCESS).isZero();
        return granted;
    }

    @Test
    void access_byOwnerGroupAndOthers_isWhatThePermissionsSay() {
        assertThat(access(file)).isEqualTo(Access.READ | Access.MODIFY | Access.EXTEND);
        assertThat(access(directory))
                .isEqualTo(Access.READ | Access.LOOKUP | Access.MODIFY | Access.EXTEND | Access.DELETE);
        server.uid = 2000;
        assertThat(access(file)).isEqualTo(Access.READ);
        assertThat(access(directory)).isEqualTo(Access.READ | Access.LOOKUP);
        server.gid = 2000;
        assertThat(access(file)).isZero();
        assertThat(access(server.file("x", 0755, "")) & Access.EXECUTE).isEqualTo(Access.EXECUTE);
    }

    @Test
    void access_readOnlyExport_grantsNoChangeButOfDevices() {
        assertThat(access(server.through(server.readOnly, file))).isEqualTo(Access.READ);
        assertThat(access(server.through(server.readOnly, directory))).isEqualTo(Access.READ | Access.LOOKUP);
        V3Reply fifo = server.call(
                MKNOD, c -> c.opaque(server.root()).string("fifo").words(7).words(1, 0600, 0, 0, 0, 0, 0));
        assertThat(fifo.status()).isEqualTo(Nfs3Status.OK);
        byte[] handle = fifo.postOpHandle();
        assertThat(access(server.through(server.readOnly, handle)))
                .isEqualTo(Access.READ | Access.MODIFY | Access.EXTEND);
    }

    @Test
    void access_onlyWhatWasAsked_isAnswered() {
        V3Reply reply = server.call(ACCESS, c -> c.opaque(file).words(Access.MODIFY));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        reply.postOp();
        assertThat(reply.word()).isEqualTo(Access.MODIFY);
    }

    @Test
    void readlink_longText_isTheText() {
        String text = "t".repeat(4000);
        V3Reply made = server.call(SYMLINK, c -> c.opaque(server.root())
                .string("l")
                .words(V3Server.NO_SATTR)
                .string(text));
        assertThat(made.status()).isEqualTo(Nfs3Status.OK);
        byte[] symlink = made.postOpHandle();
        V3Reply reply = server.call(READLINK, c -> c.opaque(symlink));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp().type()).isEqualTo(5);
        assertThat(reply.string()).isEqualTo(text);
        reply.end();
        assertThat(server.call(READLINK, c -> c.opaque(file)).status()).isEqualTo(Nfs3Status.INVAL);
    }

    @Test
    void fsstat_memory_isItsSpace() {
        V3Reply reply = server.call(FSSTAT, c -> c.opaque(server.root()));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isNotNull();
        assertThat(reply.hyper()).isEqualTo(256L << 20);
        assertThat(reply.hyper()).isLessThan(256L << 20);
        reply.hyper();
        assertThat(reply.hyper()).isEqualTo(10_000);
        assertThat(reply.hyper()).isEqualTo(10_000 - 3);
        reply.hyper();
        assertThat(reply.word()).isZero();
        reply.end();
        assertThat(server.call(FSSTAT, c -> c.opaque(new byte[8])).status()).isEqualTo(Nfs3Status.BADHANDLE);
    }

    @Test
    void fsinfo_sizes_areOneMebibyte() {
        V3Reply reply = server.call(FSINFO, c -> c.opaque(server.root()));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isNotNull();
        for (int size : new int[] {V3Server.MIB, V3Server.MIB, 4096, V3Server.MIB, V3Server.MIB, 4096, 64 << 10}) {
            assertThat(reply.word()).isEqualTo(size);
        }
        assertThat(reply.hyper()).isEqualTo(Long.MAX_VALUE);
        assertThat(reply.hyper()).as("time_delta").isEqualTo(1);
        assertThat(reply.word()).isEqualTo(0x1b);
        reply.end();
    }

    @Test
    void pathconf_memory_isItsLimits() {
        V3Reply reply = server.call(PATHCONF, c -> c.opaque(server.root()));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isNotNull();
        assertThat(reply.word()).isEqualTo(65_000);
        assertThat(reply.word()).isEqualTo(255);
        assertThat(reply.bool()).isTrue();
        assertThat(reply.bool()).isTrue();
        assertThat(reply.bool()).isFalse();
        assertThat(reply.bool()).isTrue();
        reply.end();
    }
}
