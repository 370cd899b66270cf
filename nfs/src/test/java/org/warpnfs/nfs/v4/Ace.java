package org.warpnfs.nfs.v4;

import org.warpnfs.nfs.testing.CallWriter;

/** An nfsace4 (RFC 8881, section 6.2.1), word by word. */
record Ace(int type, int flag, int mask, String who) {
    /** The permissions of RFC 8881, section 6.2.1.3.1, named by the letters of nfs4_acl(5). */
    static final int TCY = 0x12_0080;

    static final int R = 0x1;
    static final int WA = 0x6;
    static final int X = 0x20;
    static final int D = 0x40;
    static final int OWNERS = 0x4_0100;
    /** Flags of an entry that new files and directories inherit and that does not apply to the directory itself. */
    static final int INHERITED = 1 | 2 | 8;

    static Ace allow(int mask, String who) {
        return new Ace(0, 0, mask, who);
    }

    static Ace deny(int mask, String who) {
        return new Ace(1, 0, mask, who);
    }

    static Ace inherited(int mask, String who) {
        return new Ace(0, INHERITED, mask, who);
    }

    static Ace read(Reply reply) {
        return new Ace(reply.word(), reply.word(), reply.word(), reply.string());
    }

    void write(CallWriter c) {
        c.words(type, flag, mask).string(who);
    }
}
