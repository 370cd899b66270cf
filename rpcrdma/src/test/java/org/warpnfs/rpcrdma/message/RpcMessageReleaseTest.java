package org.warpnfs.rpcrdma.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.payload.Payload;

/** A message gives back all that it has, even if something of it cannot be given back. */
class RpcMessageReleaseTest {
    private final List<String> released = new ArrayList<>();

    private RpcMessage.Item item(String name, boolean broken) {
        return new RpcMessage.Item(8, new Payload() {
            @Override
            public ByteBuffer buffer() {
                return ByteBuffer.allocate(8);
            }

            @Override
            public void release() {
                released.add(name);
                if (broken) {
                    throw new IllegalStateException(name);
                }
            }
        });
    }

    @Test
    void payloadThatCannotBeReleased_otherPayloads_areReleasedAndTheEndIsTold() {
        RpcMessage message = new RpcMessage(
                ByteBuffer.allocate(8),
                List.of(item("one", true), item("two", false), item("three", true)),
                () -> released.add("left"));
        assertThatThrownBy(message::release).isInstanceOf(IllegalStateException.class);
        assertThat(released).containsExactly("one", "two", "three", "left");
    }
}
