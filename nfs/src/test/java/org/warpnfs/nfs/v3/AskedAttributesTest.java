package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.nfs.testing.OnlyWhatIsAsked;

/** What is asked of a backend, whose attributes may cost more the more are asked for. */
class AskedAttributesTest {
    private static final Set<FileAttribute> OF_FATTR3 =
            EnumSet.complementOf(EnumSet.of(FileAttribute.CHANGE_ID, FileAttribute.BIRTH_TIME));
    private static final Set<FileAttribute> OF_WCC_ATTR =
            Set.of(FileAttribute.SIZE, FileAttribute.MODIFY_TIME, FileAttribute.CHANGE_TIME);

    private final OnlyWhatIsAsked asking = new OnlyWhatIsAsked();
    private final V3Server server = new V3Server(asking.over(new MemoryFileSystem(1 << 20, 100)));

    @Test
    void procedures_ofAllKinds_askForWhatTheirRepliesHave() {
        byte[] root = server.root();
        byte[] file = server.file("f", 0666, "hello");
        asking.asked();
        assertThat(server.call(V3Server.GETATTR, c -> c.opaque(file)).status()).isEqualTo(Nfs3Status.OK);
        assertThat(asking.asked()).containsExactly(OF_FATTR3);
        server.call(V3Server.WRITE, c -> c.opaque(file).hyper(0).words(1, 0).opaque(new byte[] {'x'}));
        assertThat(asking.asked()).containsExactly(OF_FATTR3);
        server.call(V3Server.REMOVE, c -> c.opaque(root).string("f"));
        assertThat(asking.asked()).containsExactly(OF_WCC_ATTR, OF_FATTR3);
    }
}
