package org.warpnfs.nfs.v4.state.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** What a question about a file costs when others have it open as often as they may: counted in opens looked at. */
class FileStateTest {
    private static final int OPENS = 64 * 1024;

    private final FileState file = new FileState(new FileKey("disk", FileHandle.of(new byte[] {1})));
    private long numbers;

    private static Client client(int id) {
        Sender sender = new Sender(new Principal(1, 0), ClientAddress.of(new InetSocketAddress("10.0.0.1", 700)));
        return new Client(id, Opaque.of(new byte[] {1}), 0, sender, false);
    }

    private OpenState open(Client client, String owner, int access, int deny) {
        OpenState open = new OpenState(client, Opaque.of(owner.getBytes(StandardCharsets.US_ASCII)), file, ++numbers);
        open.access = access;
        open.deny = deny;
        file.index(open);
        return open;
    }

    private void fill(Client client, int access, int deny) {
        for (int i = 0; i < OPENS; i++) {
            open(client, "owner" + i, access, deny);
        }
    }

    @Test
    void questions_othersHaveManyOpensThatDoNotConflict_lookAtFewOfThem() {
        fill(client(1), OpenRequest.READ, OpenRequest.WRITE);
        Client own = client(2);
        OpenState mine = open(own, "mine", OpenRequest.READ, 0);

        assertThat(file.shareConflict(OpenRequest.READ, 0)).isNull();
        assertThat(file.shareConflict(OpenRequest.READ, OpenRequest.WRITE)).isNull();
        assertThat(file.shareConflict(OpenRequest.WRITE, 0)).isNotNull();
        assertThat(file.shareConflict(OpenRequest.READ, OpenRequest.READ)).isNotNull();
        assertThat(file.denied(OpenRequest.READ)).isNull();
        assertThat(file.of(own)).containsExactly(mine);
        assertThat(file.isOpenByOthers(own, mine.owner)).isTrue();
        assertThat(file.visited()).isLessThan(20);
    }

    private static Client gone(int id) {
        Client gone = client(id);
        gone.letGo();
        gone.forget();
        return gone;
    }

    @Test
    void questions_manyOpensOfAClientThatIsGone_passThemInOneStep() {
        fill(gone(1), OpenRequest.READ, OpenRequest.WRITE);

        assertThat(file.shareConflict(OpenRequest.WRITE, OpenRequest.READ)).isNull();
        assertThat(file.isOpenByOthers(client(2), null)).isFalse();
        assertThat(file.visited()).isEqualTo(3);
    }

    @Test
    void questions_manyClientsThatAreGone_lookAtAPortionEach() {
        int clients = 4 * FileState.MAX_GONE;
        for (int i = 0; i < clients; i++) {
            open(gone(i), "owner", OpenRequest.READ, OpenRequest.WRITE);
        }

        int calls = 0;
        for (Conflict met = file.denied(OpenRequest.WRITE); met != null; met = file.denied(OpenRequest.WRITE)) {
            assertThat(met.holder()).isNotNull().satisfies(holder -> assertThat(holder.isGone())
                    .isTrue());
            calls++;
            assertThat(file.visited()).isLessThanOrEqualTo((long) calls * (FileState.MAX_GONE + 1));
        }

        assertThat(calls).isEqualTo(3);
    }

    @Test
    void opens_changedAndRemoved_leaveNoTrace() {
        Client one = client(1);
        OpenState open = open(one, "a", OpenRequest.READ | OpenRequest.WRITE, OpenRequest.READ);
        assertThat(file.shareConflict(OpenRequest.READ, 0)).isNotNull();

        open.access = OpenRequest.READ;
        open.deny = 0;
        file.index(open);
        assertThat(file.shareConflict(OpenRequest.READ, OpenRequest.WRITE)).isNull();
        assertThat(file.shareConflict(OpenRequest.READ, OpenRequest.READ)).isNotNull();

        file.remove(open);
        assertThat(file.shareConflict(OpenRequest.READ, OpenRequest.READ)).isNull();
        assertThat(file.isOpenByOthers(client(2), null)).isFalse();
        assertThat(file.of(one)).isEmpty();
    }
}
