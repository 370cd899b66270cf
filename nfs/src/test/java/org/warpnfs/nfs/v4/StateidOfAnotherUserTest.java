package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** What a user can do with the stateid of somebody else's open. Files belong to uid 1000. */
class StateidOfAnotherUserTest {
    private static final int OWNER = 1000;
    private static final int STRANGER = 1001;
    private static final int READ_LOCK = 1;
    private static final int WRITE_LOCK = 2;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private int[] opened(int uid, int permissions, int access) {
        server.newFile("f", permissions, "data".getBytes(StandardCharsets.US_ASCII));
        client.uid = uid;
        return client.open("o", "f", access);
    }

    private Nfs4Status read(int uid, int[] stateid) {
        client.uid = uid;
        return client.statusOf(new Ops().data().lookup("f").read(stateid, 0, 4));
    }

    private Nfs4Status write(int uid, int[] stateid) {
        client.uid = uid;
        return client.statusOf(new Ops().data().lookup("f").write(stateid, 0, 0, "x"));
    }

    @Test
    void privateFile_usedByAStrangerWithTheStateid_isRefused() {
        int[] stateid = opened(OWNER, 0600, 3);

        assertThat(read(STRANGER, stateid)).isEqualTo(Nfs4Status.ACCESS);
        assertThat(write(STRANGER, stateid)).isEqualTo(Nfs4Status.ACCESS);
        assertThat(read(OWNER, stateid)).isEqualTo(Nfs4Status.OK);
        assertThat(write(OWNER, stateid)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void fileForEveryone_usedByAStranger_isAsItsPermissionsSay() {
        int[] stateid = opened(OWNER, 0644, 3);

        assertThat(read(STRANGER, stateid)).isEqualTo(Nfs4Status.OK);
        assertThat(write(STRANGER, stateid)).isEqualTo(Nfs4Status.ACCESS);
    }

    private Nfs4Status lock(int uid, int type, int[] stateid, long offset) {
        client.uid = uid;
        return client.statusOf(new Ops().data().lookup("f").lock(type, false, offset, 1, stateid, "l" + uid));
    }

    @Test
    void privateFile_lockedByAStrangerWithTheStateid_isRefused() {
        int[] stateid = opened(OWNER, 0600, 3);

        assertThat(lock(STRANGER, READ_LOCK, stateid, 0)).isEqualTo(Nfs4Status.ACCESS);
        assertThat(lock(STRANGER, WRITE_LOCK, stateid, 0)).isEqualTo(Nfs4Status.ACCESS);
        assertThat(lock(OWNER, WRITE_LOCK, stateid, 0)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void fileForEveryone_lockedByAStranger_isAsItsPermissionsSay() {
        int[] stateid = opened(OWNER, 0644, 3);

        assertThat(lock(STRANGER, READ_LOCK, stateid, 0)).isEqualTo(Nfs4Status.OK);
        assertThat(lock(STRANGER, WRITE_LOCK, stateid, 1)).isEqualTo(Nfs4Status.ACCESS);
    }

    @Test
    void program_thatMayOnlyBeExecuted_isRead() {
        int[] stateid = opened(OWNER, 0611, 1);

        assertThat(read(STRANGER, stateid)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void openOfTheSuperuser_usedByTheOwnerOfTheFile_mayBeUsed() {
        int[] stateid = opened(0, 0000, 3);

        assertThat(read(OWNER, stateid)).isEqualTo(Nfs4Status.OK);
        assertThat(write(OWNER, stateid)).isEqualTo(Nfs4Status.OK);
        assertThat(read(STRANGER, stateid)).isEqualTo(Nfs4Status.ACCESS);
    }

    /** What open(2) has permitted stays permitted, as on a local file system. */
    @Test
    void opener_afterThePermissionsWereTakenAway_goesOn() throws FsException {
        int[] stateid = opened(STRANGER, 0666, 3);
        server.fs.setAttributes(Caller.ROOT, server.find("f"), AttributeChanges.ofPermissions(0));

        assertThat(read(STRANGER, stateid)).isEqualTo(Nfs4Status.OK);
        assertThat(write(STRANGER, stateid)).isEqualTo(Nfs4Status.OK);
        assertThat(read(1002, stateid)).isEqualTo(Nfs4Status.ACCESS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0600, 0644})
    void delegation_usedByAStranger_isAsThePermissionsSay(int permissions) {
        server.newFile("f", permissions, "data".getBytes(StandardCharsets.US_ASCII));
        V4Client holder = V4Client.callable(server, "holder", OWNER);
        Ops read = new Ops().data().lookup("f").read(holder.delegation("f"), 0, 4);

        holder.uid = STRANGER;
        assertThat(holder.statusOf(read)).isEqualTo(permissions == 0600 ? Nfs4Status.ACCESS : Nfs4Status.OK);
        holder.uid = OWNER;
        assertThat(holder.statusOf(read)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void stateid_ofMinorVersion0_isJudgedAlike() {
        V40Client old = V40Client.mounted(server, "old");
        V40Client.Opened open = old.opened("o", "f", 3);
        old.run(new Ops().putFh(open.handle()).setAttr(Ops.ANONYMOUS, Fattr.mode(0600)));

        old.wire.uid = STRANGER;

        assertThat(old.statusOf(new Ops().putFh(open.handle()).read(open.stateid(), 0, 1)))
                .isEqualTo(Nfs4Status.ACCESS);
    }

    @Test
    void copy_outOfAStrangersOpen_isRefused() {
        int[] from = opened(OWNER, 0600, 1);
        client.uid = STRANGER;
        int[] to = client.create("own");

        assertThat(client.statusOf(new Ops()
                        .data()
                        .lookup("f")
                        .saveFh()
                        .data()
                        .lookup("own")
                        .copy(from, to, 0)))
                .isEqualTo(Nfs4Status.ACCESS);
    }
}
