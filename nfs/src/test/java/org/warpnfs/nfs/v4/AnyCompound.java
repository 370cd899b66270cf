package org.warpnfs.nfs.v4;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Random COMPOUNDs, most of them on files of which the client knows something. */
final class AnyCompound {
    /** Operations of minor version 0. */
    private static final List<OpCode> OF_ALL =
            Arrays.stream(OpCode.values()).filter(code -> code.number() < 39).toList();

    private final KnownToAClient known;
    private final AnyArguments arguments;
    private final Random random;
    /** Operations of the last COMPOUND. */
    private final List<OpCode> codes = new ArrayList<>();

    AnyCompound(KnownToAClient known) {
        this.known = known;
        this.arguments = new AnyArguments(known);
        this.random = known.random;
    }

    List<OpCode> codes() {
        return codes;
    }

    Ops any(int minorVersion) {
        Ops ops = new Ops();
        codes.clear();
        known.begin();
        KnownToAClient.State chosen = known.chooseFocus();
        if (chosen != null) {
            codes.add(OpCode.PUTFH);
            ops.putFh(chosen.handle().array());
        } else if (known.hasHandles() && random.nextInt(4) == 0) {
            // The current file is saved, and linked into the directory.
            codes.addAll(List.of(OpCode.PUTFH, OpCode.SAVEFH, OpCode.PUTROOTFH, OpCode.LOOKUP, OpCode.LINK));
            ops.putFh(known.anyHandle()).saveFh().data();
            ops.link(arguments.name());
        } else {
            ops.data();
            codes.addAll(List.of(OpCode.PUTROOTFH, OpCode.LOOKUP));
        }
        if (known.focus == null && random.nextInt(8) == 0) {
            codes.addAll(List.of(OpCode.SAVEFH, OpCode.RENAME));
            ops.saveFh().rename(arguments.name(), arguments.name());
        }
        if (random.nextInt(10) == 0) {
            codes.addAll(List.of(OpCode.CREATE, OpCode.READLINK));
            ops.makeSymlink("s" + random.nextInt(), "target", Fattr.none()).op(OpCode.READLINK);
        }
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            add(ops, minorVersion);
        }
        codes.add(OpCode.GETFH);
        return ops.getFh();
    }

    private void add(Ops ops, int minorVersion) {
        OpCode[] oldOnes = {
            OpCode.OPEN_CONFIRM, OpCode.RENEW, OpCode.SETCLIENTID, OpCode.SETCLIENTID_CONFIRM, OpCode.RELEASE_LOCKOWNER
        };
        OpCode[] newOnes = {
            OpCode.FREE_STATEID,
            OpCode.TEST_STATEID,
            OpCode.ALLOCATE,
            OpCode.COPY,
            OpCode.DEALLOCATE,
            OpCode.IO_ADVISE,
            OpCode.READ_PLUS,
            OpCode.SEEK,
            OpCode.CLONE,
            OpCode.GETXATTR,
            OpCode.SETXATTR,
            OpCode.LISTXATTRS,
            OpCode.REMOVEXATTR
        };
        OpCode code = OF_ALL.get(random.nextInt(OF_ALL.size()));
        if (random.nextInt(4) == 0) {
            code = OpCode.OPEN;
        } else if (random.nextInt(4) == 0) {
            OpCode[] own = minorVersion == 0 ? oldOnes : newOnes;
            code = own[random.nextInt(own.length)];
        }
        if (minorVersion > 0 && random.nextInt(12) == 0) {
            codes.addAll(List.of(OpCode.SETXATTR, OpCode.GETXATTR, OpCode.REMOVEXATTR));
            ops.setXattr(0, "k", "value").named(OpCode.GETXATTR, "k").named(OpCode.REMOVEXATTR, "k");
        }
        if (known.focus != null && random.nextInt(3) == 0) {
            // Opened files are locked, locked ones are unlocked and freed, and some are copied.
            boolean locks =
                    known.focus.owner() != null && known.focus.owner().name.startsWith("l");
            OpCode[] next = locks
                    ? new OpCode[] {OpCode.LOCKU, minorVersion == 0 ? OpCode.RELEASE_LOCKOWNER : OpCode.FREE_STATEID}
                    : new OpCode[] {OpCode.OPEN_CONFIRM, OpCode.LOCK, OpCode.LOCK, OpCode.OPEN_DOWNGRADE, OpCode.COPY};
            code = locks ? next[random.nextInt(2)] : next[minorVersion == 0 ? random.nextInt(4) : random.nextInt(1, 5)];
            if (code == OpCode.COPY) {
                codes.add(OpCode.SAVEFH);
                ops.saveFh();
            }
        }
        OpCode operation = code;
        codes.add(operation);
        ops.add(operation, c -> arguments.write(operation, minorVersion, c));
    }
}
