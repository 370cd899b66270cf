package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.v4.layout.DeviceId;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** A layout of flexible files as a client reads it. */
final class LayoutSeen {
    private final int[] stateid;
    private final List<DeviceId> devices;
    private final byte[] handle;
    private final String user;
    private final String group;

    LayoutSeen(int[] stateid, List<DeviceId> devices, byte[] handle, String user, String group) {
        this.stateid = stateid;
        this.devices = devices;
        this.handle = handle;
        this.user = user;
        this.group = group;
    }

    int[] stateid() {
        return stateid;
    }

    List<DeviceId> devices() {
        return devices;
    }

    byte[] handle() {
        return handle;
    }

    String user() {
        return user;
    }

    String group() {
        return group;
    }

    /** Reads a LAYOUTGET that succeeded. */
    static LayoutSeen of(Reply reply, int iomode) {
        reply.op(OpCode.LAYOUTGET);
        assertThat(reply.word()).as("return on close").isEqualTo(1);
        int[] stateid = reply.stateid();
        assertThat(reply.words(6)).as("one of the whole file").containsExactly(1, 0, 0, -1, -1, iomode);
        assertThat(reply.word()).as("LAYOUT4_FLEX_FILES").isEqualTo(4);
        ByteBuffer body = ByteBuffer.wrap(reply.opaque(4096));
        assertThat(body.getLong()).as("stripe unit").isZero();
        int mirrors = body.getInt();
        List<DeviceId> devices = new ArrayList<>();
        byte[] handle = {};
        String user = "";
        String group = "";
        for (int i = 0; i < mirrors; i++) {
            assertThat(body.getInt()).as("data servers of a mirror").isEqualTo(1);
            devices.add(new DeviceId(body.getLong(), body.getLong()));
            assertThat(body.getInt()).as("efficiency").isEqualTo(mirrors - i);
            assertThat(body.getLong()).as("anonymous stateid").isZero();
            assertThat(body.getLong()).as("anonymous stateid").isZero();
            assertThat(body.getInt()).as("handles").isEqualTo(1);
            handle = opaque(body);
            user = new String(opaque(body), StandardCharsets.US_ASCII);
            group = new String(opaque(body), StandardCharsets.US_ASCII);
        }
        assertThat(body.getInt()).as("FF_FLAGS_NO_LAYOUTCOMMIT").isEqualTo(1);
        assertThat(body.getInt()).as("statistics hint").isZero();
        assertThat(body.hasRemaining()).isFalse();
        return new LayoutSeen(stateid, devices, handle, user, group);
    }

    static byte[] opaque(ByteBuffer from) {
        byte[] bytes = new byte[from.getInt()];
        from.get(bytes);
        from.position(from.position() + (-bytes.length & 3));
        return bytes;
    }
}
