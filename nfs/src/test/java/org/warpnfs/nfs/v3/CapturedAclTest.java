package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;

/**
 * Sends this server what a Linux client sent to knfsd by NFS_ACL. The answers are the same except for numbers of files
 * and times.
 */
class CapturedAclTest {
    private static final String RESOURCE = "/org/warpnfs/nfs/captured/linux-nfsacl.txt";
    private static final AttributeChanges OWNED = new AttributeChanges(null, 1000L, 2000L, null, null, null);

    private final V3Server server = new V3Server();
    private final Map<String, FileHandle> files = new HashMap<>();

    private static List<List<String>> lines() throws Exception {
        try (InputStream in = CapturedAclTest.class.getResourceAsStream(RESOURCE)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> Splitter.on(' ').splitToList(line))
                    .toList();
        }
    }

    @Test
    void dialogue_ofALinuxClient_isAnsweredAsKnfsdDid() throws Exception {
        byte[] answer = null;
        int compared = 0;
        for (List<String> line : lines()) {
            if (line.get(0).equals("chmod")) {
                server.fs.setAttributes(
                        Caller.ROOT,
                        file(line.get(1)),
                        AttributeChanges.ofPermissions(Integer.parseInt(line.get(2), 8)));
                continue;
            }
            byte[] message = HexFormat.of().parseHex(line.get(3));
            if (line.get(2).equals("call")) {
                answer = server.aclSend(withOurHandle(message, file(line.get(0))));
            } else {
                assertThat(seen(answer))
                        .as("%s, procedure %s", line.get(0), line.get(1))
                        .isEqualTo(seen(message));
                compared++;
            }
        }
        assertThat(compared).isEqualTo(16);
    }

    @Test
    void null_ofALinuxClientThatMounts_isAnsweredAsKnfsdDid() {
        byte[] call = HexFormat.of()
                .parseHex("1a8d2e4e0000000000000002000187830000000300000000" + "00000000000000000000000000000000");
        assertThat(server.aclSend(call))
                .isEqualTo(HexFormat.of().parseHex("1a8d2e4e0000000100000000000000000000000000000000"));
    }

    /** The status, those attributes that a user sets, and the lists word by word. */
    private static List<Object> seen(byte[] message) {
        V3Reply reply = new V3Reply(message);
        List<Object> seen = new ArrayList<>();
        seen.add(reply.status());
        V3Reply.Attributes attributes = reply.postOp();
        seen.add(List.of(attributes.type(), attributes.mode(), attributes.uid(), attributes.gid()));
        while (reply.remaining() > 0) {
            seen.add(reply.word());
        }
        return seen;
    }

    private byte[] withOurHandle(byte[] call, FileHandle file) {
        ByteBuffer in = ByteBuffer.wrap(call);
        int at = 32 + in.getInt(28) + 8;
        int after = at + 4 + in.getInt(at);
        byte[] ours = server.handle(server.trusting, file);
        ByteBuffer out = ByteBuffer.allocate(at + 4 + ours.length + call.length - after);
        out.put(call, 0, at).putInt(ours.length).put(ours).put(call, after, call.length - after);
        assertThat(out.hasRemaining()).isFalse();
        return out.array();
    }

    /** Makes a file as the client's commands had left it before the captured calls. */
    private FileHandle file(String name) throws FsException {
        FileHandle known = files.get(name);
        if (known == null) {
            known = switch (name) {
                case "root" -> permitted(server.fs.root());
                case "here" -> directory(server.fs.root(), name);
                case "file" -> owned(regular(file("here"), name));
                case "directory" -> owned(directory(file("here"), name));
                case "child" -> regular(file("directory"), name);
                case "sub" -> directory(file("directory"), name);
                default -> throw new AssertionError(name);
            };
            files.put(name, known);
        }
        return known;
    }

    private FileHandle permitted(FileHandle root) throws FsException {
        server.fs.setAttributes(Caller.ROOT, root, AttributeChanges.ofPermissions(0755));
        return root;
    }

    private FileHandle owned(FileHandle file) throws FsException {
        server.fs.setAttributes(Caller.ROOT, file, OWNED);
        return file;
    }

    private FileHandle regular(FileHandle directory, String name) throws FsException {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        return server.fs
                .create(Caller.ROOT, directory, FileName.of(name), mode)
                .node()
                .handle();
    }

    private FileHandle directory(FileHandle directory, String name) throws FsException {
        return server.fs
                .makeDirectory(Caller.ROOT, directory, FileName.of(name), AttributeChanges.ofPermissions(0755))
                .handle();
    }
}
