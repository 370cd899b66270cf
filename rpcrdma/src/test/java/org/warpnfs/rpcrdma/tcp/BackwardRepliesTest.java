package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackwardRepliesTest {
    private final BackwardReplies replies = new BackwardReplies(2, 1);

    @Test
    void called_reply_isTakenOnce() {
        replies.called(7);
        assertThat(replies.take(8)).isFalse();
        assertThat(replies.take(7)).isTrue();
        assertThat(replies.take(7)).isFalse();
    }

    @Test
    void calledAtTheLimit_oneMore_forgetsTheOldest() {
        replies.called(1);
        replies.called(2);
        replies.called(2);
        assertThat(replies.take(1))
                .as("one that is called again takes no place")
                .isTrue();
        replies.called(3);
        replies.called(4);
        assertThat(replies.take(2)).isFalse();
        assertThat(replies.take(3)).isTrue();
        assertThat(replies.take(4)).isTrue();
    }

    @Test
    void unexpected_aboveTheLimit_isTooMany() {
        assertThat(replies.tooManyUnexpected()).isFalse();
        assertThat(replies.tooManyUnexpected()).isTrue();
    }
}
