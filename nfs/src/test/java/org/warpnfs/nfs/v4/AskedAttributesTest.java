package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.nfs.testing.OnlyWhatIsAsked;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** What is asked of a backend, whose attributes may cost more the more are asked for. */
class AskedAttributesTest {
    private static final int TYPE = 1;
    private static final int CHANGE = 3;
    private static final int SIZE = 4;
    private static final int ACL = 12;
    private static final int OWNER = 36;
    private static final int TIME_METADATA = 52;
    /** time_access_set, time_modify_set, mode_umask, and the times of a delegation. */
    private static final Set<Integer> ONLY_SET = Set.of(48, 54, 81, 84, 85);

    private final OnlyWhatIsAsked asking = new OnlyWhatIsAsked();
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() {
        server = V4Server.through(asking::over);
        server.newFile("f", 0666, "hello".getBytes(StandardCharsets.US_ASCII));
        client = V4Client.mounted(server, "c", 0);
        asking.asked();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops data() {
        return new Ops().data();
    }

    @Test
    void getAttr_ofSomeAttributes_asksForThose() {
        client.run(data().getAttrs(CHANGE, SIZE, OWNER, TIME_METADATA));
        assertThat(asking.asked())
                .containsExactly(Set.of(
                        FileAttribute.CHANGE_ID, FileAttribute.SIZE, FileAttribute.OWNER, FileAttribute.CHANGE_TIME));
        client.run(data().getAttrs(TYPE));
        assertThat(asking.asked()).containsExactly(FileAttribute.NONE);
        client.run(data().getAttrs(ACL));
        assertThat(asking.asked()).containsExactly(Set.of(FileAttribute.PERMISSIONS));
    }

    @Test
    void readDir_ofSomeAttributes_asksForThoseOfEachEntry() {
        client.run(data().readDir(0, 4096, 4096, SIZE));
        assertThat(asking.asked()).containsExactly(FileAttribute.NONE, Set.of(FileAttribute.SIZE));
        client.run(data().readDir(0, 4096, 4096, Fattr.FILEID));
        assertThat(asking.asked()).as("of the directory alone, its type").containsExactly(FileAttribute.NONE);
    }

    @Test
    void access_thenGetAttr_asksForAllOnce() {
        client.run(data().op(OpCode.ACCESS, 1).getAttrs(SIZE));
        assertThat(asking.asked()).containsExactly(FileAttribute.ALL);
    }

    @Test
    void getAttr_ofEachAttributeAlone_isAsAmongAll() {
        int[] supported = supported();
        for (int number = 1; number < 32 * supported.length; number++) {
            if ((supported[number / 32] >>> number % 32 & 1) != 0 && !ONLY_SET.contains(number)) {
                Reply alone = client.run(data().getAttrs(number));
                // ACCESS has read all of them.
                Reply amongAll = client.run(data().op(OpCode.ACCESS, 1).getAttrs(number));
                amongAll.afterData().op(OpCode.ACCESS);
                amongAll.words(2);
                alone.afterData();
                int length = alone.getAttrs(number);
                assertThat(amongAll.getAttrs(number)).isEqualTo(length);
                assertThat(alone.words(length / 4)).as("attribute %s", number).isEqualTo(amongAll.words(length / 4));
            }
        }
    }

    private int[] supported() {
        Reply reply = client.run(data().getAttrs(0));
        reply.afterData().getAttrs(0);
        return reply.words(reply.word());
    }
}
