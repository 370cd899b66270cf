package org.warpnfs.nfs.v4;

import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Random arguments for each operation, many of them usable. */
final class AnyArguments {
    private static final String[] NAMES = {"a", "b", "c", "dir", "link", "", ".", "..", "x/y", "n".repeat(300), "\u00fc"
    };

    private final KnownToAClient known;
    private final Random random;

    AnyArguments(KnownToAClient known) {
        this.known = known;
        this.random = known.random;
    }

    String name() {
        return NAMES[random.nextInt(random.nextInt(5) == 0 ? NAMES.length : 5)];
    }

    private KnownToAClient.Counter one(KnownToAClient.Counter[] counters) {
        return counters[random.nextInt(counters.length)];
    }

    /** Usually the owner's next seqid. */
    private int seqid(KnownToAClient.@Nullable Counter owner) {
        if (owner == null) {
            return 1;
        }
        return switch (random.nextInt(12)) {
            case 0 -> owner.seqid;
            case 1 -> random.nextInt();
            default -> ++owner.seqid;
        };
    }

    private long offset() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong();
            case 1 -> -1;
            case 2, 3 -> 0;
            default -> random.nextInt(10_000);
        };
    }

    /** Often the whole file. */
    private void range(CallWriter c) {
        if (random.nextBoolean()) {
            c.hyper(0).hyper(-1);
        } else {
            c.hyper(offset()).hyper(offset());
        }
    }

    private long clientId(int minorVersion) {
        return random.nextInt(12) == 0 ? random.nextLong() : minorVersion == 0 ? known.oldClientId : known.newClientId;
    }

    private void attributes(CallWriter c) {
        switch (random.nextInt(4)) {
            case 0 -> c.words(0, 0);
            case 1 -> c.words(1, 1 << 4, 8).hyper(random.nextInt(4) == 0 ? offset() : random.nextInt(5000));
            case 2 -> c.words(2, 0, 1 << 1, 4, random.nextInt(8192));
            default -> c.words(2, random.nextInt(), random.nextInt(), 4, random.nextInt());
        }
    }

    void write(OpCode operation, int minorVersion, CallWriter c) {
        KnownToAClient.Counter owner = known.focus == null ? one(known.owners) : known.focus.owner();
        switch (operation) {
            case ACCESS -> c.words(random.nextInt(64));
            case CLOSE -> c.words(seqid(owner)).words(known.anyStateid());
            case COMMIT -> c.hyper(offset()).words(random.nextInt(100));
            case CREATE -> {
                int type = random.nextInt(1, 9);
                c.words(type);
                if (type == 5) {
                    c.string("target");
                } else if (type == 3 || type == 4) {
                    c.words(1, 1);
                }
                c.string(name());
                attributes(c);
            }
            case DELEGPURGE, RENEW -> c.hyper(clientId(minorVersion));
            case DELEGRETURN -> c.words(known.anyStateid());
            case GETATTR -> c.words(2, random.nextInt(), random.nextInt());
            case GETFH, LOOKUPP, PUTPUBFH, PUTROOTFH, READLINK, RESTOREFH, SAVEFH -> {} // without arguments
            case LINK, LOOKUP, REMOVE, SECINFO, GETXATTR, REMOVEXATTR -> c.string(name());
            case LOCK -> {
                c.words(random.nextInt(1, 5), random.nextInt(8) / 7);
                range(c);
                if (owner == null || owner.name.startsWith("o")) {
                    KnownToAClient.Counter lockOwner = one(known.lockOwners);
                    known.locker = lockOwner;
                    c.words(1, seqid(owner)).words(known.anyStateid()).words(seqid(lockOwner));
                    c.hyper(clientId(minorVersion)).string(lockOwner.name);
                } else {
                    c.words(0).words(known.anyStateid()).words(seqid(owner));
                }
            }
            case LOCKT ->
                c.words(random.nextInt(1, 5))
                        .hyper(offset())
                        .hyper(offset())
                        .hyper(clientId(minorVersion))
                        .string(one(known.lockOwners).name);
            case LOCKU -> {
                c.words(2, seqid(owner)).words(known.anyStateid());
                range(c);
            }
            case NVERIFY, VERIFY -> attributes(c);
            case OPEN -> open(minorVersion, c);
            case OPENATTR -> c.words(0);
            case OPEN_CONFIRM -> c.words(known.anyStateid()).words(seqid(owner));
            case OPEN_DOWNGRADE ->
                c.words(known.anyStateid()).words(seqid(owner), random.nextInt(4), random.nextInt(4));
            case PUTFH -> {
                byte[] handle = known.anyHandle();
                if (random.nextInt(4) == 0) {
                    handle[random.nextInt(handle.length)]++;
                }
                c.opaque(handle);
            }
            case READ, READ_PLUS -> c.words(known.anyStateid()).hyper(offset()).words(random.nextInt(1 << 17));
            case READDIR -> c.hyper(random.nextInt(3)).hyper(random.nextInt(2)).words(4096, 8192, 1, random.nextInt());
            case RENAME -> c.string(name()).string(name());
            case SETATTR -> {
                c.words(known.anyStateid());
                attributes(c);
            }
            case SETCLIENTID ->
                c.hyper(1)
                        .string("old" + random.nextInt(3))
                        .words(0x40000000)
                        .string("tcp")
                        .string("127.0.0.1.3.4")
                        .words(1);
            case SETCLIENTID_CONFIRM -> c.hyper(clientId(0)).hyper(random.nextBoolean() ? known.confirmVerifier : 5);
            case WRITE ->
                c.words(known.anyStateid())
                        .hyper(random.nextInt(3) == 0 ? offset() : random.nextInt(5000))
                        .words(random.nextInt(3))
                        .opaque(new byte[random.nextInt(3000)]);
            case RELEASE_LOCKOWNER -> c.hyper(clientId(minorVersion)).string(one(known.lockOwners).name);
            case FREE_STATEID -> {
                int[] whichever = known.anyStateid();
                whichever[0] = 0;
                c.words(whichever);
            }
            case TEST_STATEID -> c.words(2).words(known.anyStateid()).words(known.anyStateid());
            case ALLOCATE, DEALLOCATE ->
                c.words(known.anyStateid()).hyper(random.nextInt(9000)).hyper(random.nextInt(9000));
            case COPY ->
                c.words(known.anyStateid())
                        .words(known.anyStateid())
                        .hyper(random.nextInt(100))
                        .hyper(random.nextInt(9000))
                        .hyper(random.nextInt(5000))
                        .words(1, 1, 0);
            case IO_ADVISE -> c.words(known.anyStateid()).hyper(0).hyper(10).words(1, 1);
            case SEEK -> c.words(known.anyStateid()).hyper(offset()).words(random.nextInt(3));
            case CLONE ->
                c.words(known.anyStateid())
                        .words(known.anyStateid())
                        .hyper(4096L * random.nextInt(3))
                        .hyper(4096L * random.nextInt(3))
                        .hyper(4096L * random.nextInt(3));
            case SETXATTR -> c.words(random.nextInt(3)).string(name()).string("value");
            case LISTXATTRS -> c.hyper(random.nextInt(3)).words(random.nextInt(5000));
            default -> throw new AssertionError("operation " + operation);
        }
    }

    private void open(int minorVersion, CallWriter c) {
        KnownToAClient.Counter owner = one(known.owners);
        known.opener = owner;
        c.words(seqid(owner), random.nextInt(1, 4), random.nextInt(6) / 5 * random.nextInt(4));
        c.hyper(clientId(minorVersion)).string(owner.name);
        if (random.nextBoolean()) {
            int mode = random.nextInt(3);
            c.words(1, mode);
            if (mode == 2) {
                c.hyper(random.nextInt(3));
            } else {
                attributes(c);
            }
        } else {
            c.words(0);
        }
        int claim = random.nextInt(8) == 0 ? random.nextInt(1, 7) : 0;
        c.words(claim);
        switch (claim) {
            case 0, 3 -> c.string(name());
            case 1 -> c.words(random.nextInt(3));
            case 2 -> c.words(known.anyStateid()).string(name());
            case 5 -> c.words(known.anyStateid());
            default -> {}
        }
    }
}
