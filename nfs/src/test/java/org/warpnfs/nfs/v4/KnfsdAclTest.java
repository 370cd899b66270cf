package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Sets the lists that a Linux client set on knfsd. What is read back is the same, byte for byte. */
class KnfsdAclTest {
    private static final String RESOURCE = "/org/warpnfs/nfs/captured/knfsd-acls.txt";
    private static final int ACL = 1 << 12;
    private static final AttributeChanges OWNED = new AttributeChanges(null, 1000L, 2000L, null, null, null);

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "client", 0);

    @AfterEach
    void stop() {
        server.close();
    }

    private static List<String> lines() throws Exception {
        try (InputStream in = KnfsdAclTest.class.getResourceAsStream(RESOURCE)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    @Test
    void lists_thatALinuxClientSetOnKnfsd_meanTheSameHere() throws Exception {
        int refused = 0;
        int number = 0;
        for (String line : lines()) {
            String name = "n" + number++;
            List<String> words = Splitter.on(' ').splitToList(line);
            boolean directory = words.get(0).equals("d");
            FileHandle file = make(name, directory);
            Nfs4Status status = client.statusOf(new Ops()
                    .data()
                    .lookup(name)
                    .add(
                            OpCode.SETATTR,
                            c -> raw(
                                    c.words(Ops.ANONYMOUS)
                                            .words(1, ACL, words.get(1).length() / 2),
                                    words.get(1))));
            if (isWiderInPosix(words.get(1))) {
                assertThat(status)
                        .as("refused, where knfsd grants more: %s", line)
                        .isEqualTo(Nfs4Status.ATTRNOTSUPP);
                continue;
            }
            boolean taken = words.get(2).equals("ok");
            refused += taken ? 0 : 1;
            assertThat(status).as(line).isEqualTo(taken ? Nfs4Status.OK : Nfs4Status.ATTRNOTSUPP);
            assertThat(mode(file)).as(line).isEqualTo(words.get(3));
            assertThat(read(name)).as(line).isEqualTo(words.get(4));
            server.fs.setAttributes(
                    Caller.ROOT, file, AttributeChanges.ofPermissions(Integer.parseInt(words.get(5), 8)));
            assertThat(mode(file)).as(line).isEqualTo(words.get(6));
            assertThat(read(name)).as("after chmod, " + line).isEqualTo(words.get(7));
            if (directory) {
                makeChild(name);
                assertThat(read(name, "child")).as("of a child, " + line).isEqualTo(words.get(8));
            }
        }

        assertThat(refused).isEqualTo(7);
        assertThat(number).isEqualTo(130);
    }

    /** True for a list that allows something to new files alone, or to new directories alone. */
    private static boolean isWiderInPosix(String list) {
        ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(list));
        boolean isWider = false;
        for (int left = words.getInt(); left > 0; left--) {
            int type = words.getInt();
            int inherits = words.getInt() & 3;
            words.getInt();
            int whoBytes = words.getInt();
            words.position(words.position() + ((whoBytes + 3) & ~3));
            isWider |= type == 0 && (inherits == 1 || inherits == 2);
        }
        return isWider;
    }

    private FileHandle make(String name, boolean directory) throws Exception {
        FileName fileName = FileName.of(name);
        FileHandle made = directory
                ? server.fs
                        .makeDirectory(Caller.ROOT, server.fs.root(), fileName, AttributeChanges.ofPermissions(0755))
                        .handle()
                : server.fs
                        .create(
                                Caller.ROOT,
                                server.fs.root(),
                                fileName,
                                new CreateMode.Guarded(AttributeChanges.ofPermissions(0644)))
                        .node()
                        .handle();
        server.fs.setAttributes(Caller.ROOT, made, OWNED);
        return made;
    }

    private String mode(FileHandle file) throws Exception {
        return Integer.toOctalString(server.fs.attributes(file).permissions());
    }

    private String read(String... path) {
        Ops ops = new Ops().data();
        for (String name : path) {
            ops.lookup(name);
        }
        Reply reply = client.run(ops.getAttrs(Fattr.ACL));
        reply.afterData();
        for (String _ : path) {
            reply.op(OpCode.LOOKUP);
        }
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(2)).containsExactly(1, ACL);
        return HexFormat.of().formatHex(reply.opaque(1 << 16));
    }

    /** An OPEN with separate mode and umask, as Linux sends it in version 4.2. */
    private void makeChild(String directory) {
        CreateHow guarded = CreateHow.guarded(Fattr.modeUmask(0666, 022));
        client.run(new Ops().data().lookup(directory).open("o", "child", 1, 0, guarded));
    }

    private static void raw(CallWriter call, String hex) {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        while (bytes.hasRemaining()) {
            call.words(bytes.getInt());
        }
    }
}
