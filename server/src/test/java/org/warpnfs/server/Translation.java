package org.warpnfs.server;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Replaces knfsd's file handles, client IDs, session IDs and stateids in captured calls by those of this server. It
 * learns them by comparing each captured reply with ours: the results of the same operation denote the same object.
 */
final class Translation {
    private static final int NFS = 100_003;
    private static final int OP_GETFH = 10;
    private static final int OP_LOCK = 12;
    private static final int OP_OPEN = 18;
    private static final int OP_EXCHANGE_ID = 42;
    private static final int OP_CREATE_SESSION = 43;
    private static final int OP_SEQUENCE = 53;

    /** BIND_CONN_TO_SESSION, DESTROY_SESSION and SEQUENCE: their arguments begin with a session ID. */
    private static final Set<Integer> OF_SESSIONS = Set.of(41, 44, OP_SEQUENCE);

    private static final int SESSION_BYTES = 16;

    /** In a reply to a COMPOUND without a tag, behind the RPC header, status, tag and count. */
    private static final int FIRST_RESULT = 36;

    /** The result of SEQUENCE with its operation and status. */
    private static final int SEQUENCE_BYTES = 8 + SESSION_BYTES + 20;

    /** READ, WRITE, and the two with times that the client keeps (RFC 9754, section 6). */
    private static final Set<Integer> GIVEN = Set.of(1, 2, 4, 5);

    /** A translated call, and by how much it shifts the positions in the captured message. */
    record Call(ByteBuffer rpc, NavigableMap<Integer, Integer> shifts) {
        /** Returns where a position of the captured message is in the translated one. */
        long position(long captured) {
            int shift = 0;
            for (Map.Entry<Integer, Integer> each :
                    shifts.headMap((int) captured, true).entrySet()) {
                shift += each.getValue();
            }
            return captured + shift;
        }
    }

    private final byte[] root;
    private final Map<ByteBuffer, byte[]> handles = new HashMap<>();

    /** Client IDs, session IDs and stateids, whose lengths are fixed. */
    private final Map<ByteBuffer, byte[]> names = new HashMap<>();

    /** The next sequence ID of each slot. Some captured calls are not sent, and the sequence must have no gap. */
    private final Map<ByteBuffer, Integer> sequences = new HashMap<>();

    /** Delegations that knfsd gave and we did not, by its handle of the file. */
    private final Map<ByteBuffer, ByteBuffer> lacking = new HashMap<>();

    Translation(byte[] root) {
        this.root = root;
    }

    /** Translates a call message. */
    Call call(ByteBuffer captured) {
        int arguments = argumentsOffset(captured);
        boolean v3 = captured.getInt(12) == NFS && captured.getInt(16) == 3 && captured.getInt(20) != 0;
        if (v3 && handles.isEmpty()) {
            handles.put(ByteBuffer.wrap(opaque(captured, arguments)), root);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        NavigableMap<Integer, Integer> shifts = new TreeMap<>();
        copy(captured, 0, arguments, out);
        int at = arguments;
        while (at < captured.limit()) {
            at = one(captured, at, out, shifts);
        }
        return new Call(ByteBuffer.wrap(out.toByteArray()), shifts);
    }

    private int one(ByteBuffer in, int at, ByteArrayOutputStream out, Map<Integer, Integer> shifts) {
        byte[] handle = handles.get(ByteBuffer.wrap(opaque(in, at)));
        if (handle != null) {
            int before = out.size();
            int lengthBytes = in.getInt(at);
            word(out, handle.length);
            out.writeBytes(handle);
            out.writeBytes(new byte[-handle.length & 3]);
            int taken = 4 + (lengthBytes + 3 & ~3);
            shifts.put(at + taken, out.size() - before - taken);
            return at + taken;
        }
        // A stateid of knfsd and what follows it may look like a session ID.
        boolean isSession = OF_SESSIONS.contains(in.getInt(at - 4));
        for (int lengthBytes : isSession ? new int[] {SESSION_BYTES} : new int[] {12, 8}) {
            byte[] name =
                    lengthBytes <= in.limit() - at ? names.get(ByteBuffer.wrap(bytes(in, at, lengthBytes))) : null;
            if (name != null) {
                out.writeBytes(name);
                boolean sequence = lengthBytes == SESSION_BYTES && in.getInt(at - 4) == OP_SEQUENCE;
                if (sequence) {
                    word(out, nextSequence(name, in.getInt(at + SESSION_BYTES + 4)));
                }
                return at + lengthBytes + (sequence ? 4 : 0);
            }
        }
        int step = Math.min(4, in.limit() - at);
        copy(in, at, step, out);
        return at + step;
    }

    private int nextSequence(byte[] session, int slot) {
        ByteBuffer key =
                ByteBuffer.allocate(SESSION_BYTES + 4).put(session).putInt(slot).flip();
        return sequences.merge(key, 1, Integer::sum);
    }

    /** Learns which of knfsd's handles and IDs correspond to those in our reply. */
    void learn(ByteBuffer call, ByteBuffer captured, ByteBuffer ours) {
        int version = call.getInt(16);
        int procedure = call.getInt(20);
        if (call.getInt(12) != NFS || captured.getInt(24) != ours.getInt(24)) {
            return;
        }
        if (version == 3) {
            int offset = procedure == 3 ? 28 : procedure >= 8 && procedure <= 10 ? 32 : 0;
            if (offset != 0 && ours.getInt(24) == 0) {
                learnHandle(opaque(captured, offset), opaque(ours, offset));
            }
        } else if (version == 4) {
            learnName(captured, ours, OP_EXCHANGE_ID, 0, 8);
            // Learn it also with the sequence ID behind it, as CREATE_SESSION sends both.
            learnName(captured, ours, OP_EXCHANGE_ID, 0, 12);
            learnName(captured, ours, OP_CREATE_SESSION, 0, SESSION_BYTES);
            learnName(captured, ours, OP_OPEN, 4, 12);
            learnName(captured, ours, OP_LOCK, 4, 12);
            learnDelegation(captured, ours);
            List<byte[]> theirs = handlesIn(captured, -1);
            List<byte[]> mine = handlesIn(ours, root.length);
            for (int i = 0; i < Math.min(theirs.size(), mine.size()); i++) {
                learnHandle(theirs.get(i), mine.get(i));
            }
        }
    }

    private void learnHandle(byte[] captured, byte[] ours) {
        if (captured.length > 0 && ours.length > 0) {
            handles.put(ByteBuffer.wrap(captured), ours);
        }
    }

    private void learnName(ByteBuffer captured, ByteBuffer ours, int operation, int offset, int lengthBytes) {
        byte[] theirs = behind(captured, operation, offset, lengthBytes);
        byte[] mine = behind(ours, operation, offset, lengthBytes);
        if (theirs != null && mine != null) {
            names.put(ByteBuffer.wrap(theirs), mine);
        }
    }

    /**
     * A delegation of knfsd's stands for that of ours. If we gave none, it stands for our latest open of the file, or
     * for the delegation that we gave with that.
     */
    private void learnDelegation(ByteBuffer captured, ByteBuffer ours) {
        byte[] open = behind(ours, OP_OPEN, 4, 12);
        List<byte[]> files = handlesIn(captured, -1);
        if (open == null || files.isEmpty()) {
            return;
        }
        ByteBuffer file = ByteBuffer.wrap(files.getFirst());
        byte[] theirs = delegationIn(captured);
        byte[] mine = delegationIn(ours);
        if (theirs != null) {
            names.put(ByteBuffer.wrap(theirs), mine == null ? open : mine);
        }
        if (theirs != null && mine == null) {
            lacking.put(file, ByteBuffer.wrap(theirs));
        } else if (lacking.containsKey(file)) {
            names.put(lacking.get(file), mine == null ? open : mine);
        }
    }

    /**
     * The stateid of the delegation that OPEN4resok ends with, without its seqid; null if there is none (RFC 8881,
     * section 18.16.2).
     *
     * <pre>
     *   stateid4 stateid; change_info4 cinfo; uint32 rflags; bitmap4 attrset; open_delegation_type4; stateid4
     *       16               20                4             4 + 4 * count          4
     * </pre>
     */
    private static byte @Nullable [] delegationIn(ByteBuffer reply) {
        int attrset = resultOf(reply, OP_OPEN) + 40;
        if (attrset < 40 || attrset + 4 > reply.limit()) {
            return null;
        }
        int count = reply.getInt(attrset);
        if (count < 0 || count > 3 || attrset + 8 + 4 * count + 16 > reply.limit()) {
            return null;
        }
        int type = attrset + 4 + 4 * count;
        return GIVEN.contains(reply.getInt(type)) ? bytes(reply, type + 8, 12) : null;
    }

    /** The first result behind that of SEQUENCE, whose numbers may look like an operation and its status. */
    private static int firstResult(ByteBuffer reply) {
        boolean isInSession = reply.limit() >= FIRST_RESULT + SEQUENCE_BYTES
                && reply.getInt(FIRST_RESULT) == OP_SEQUENCE
                && reply.getInt(FIRST_RESULT + 4) == 0;
        return isInSession ? FIRST_RESULT + SEQUENCE_BYTES : FIRST_RESULT;
    }

    /** Returns bytes of the first successful result of an operation; null if there is none. */
    private static byte @Nullable [] behind(ByteBuffer reply, int operation, int offset, int lengthBytes) {
        int result = resultOf(reply, operation);
        return result < 0 || result + offset + lengthBytes > reply.limit()
                ? null
                : bytes(reply, result + offset, lengthBytes);
    }

    /** Where the first successful result of an operation is, behind its status; -1 if there is none. */
    private static int resultOf(ByteBuffer reply, int operation) {
        for (int at = firstResult(reply); at + 8 <= reply.limit(); at += 4) {
            if (reply.getInt(at) == operation && reply.getInt(at + 4) == 0) {
                return at + 8;
            }
        }
        return -1;
    }

    /**
     * Returns the handles that GETFH returned. Handles of knfsd begin with 01 00, and ours are recognized by their
     * length.
     */
    private static List<byte[]> handlesIn(ByteBuffer reply, int lengthBytes) {
        List<byte[]> found = new ArrayList<>();
        for (int at = firstResult(reply); at + 12 <= reply.limit(); at += 4) {
            if (reply.getInt(at) != OP_GETFH || reply.getInt(at + 4) != 0) {
                continue;
            }
            byte[] handle = opaque(reply, at + 8);
            boolean one = lengthBytes < 0
                    ? handle.length >= 8 && handle[0] == 1 && handle[1] == 0
                    : handle.length == lengthBytes;
            if (one) {
                found.add(handle);
            }
        }
        return found;
    }

    private static int argumentsOffset(ByteBuffer call) {
        int verifier = 32 + (call.getInt(28) + 3 & ~3);
        return verifier + 8 + (call.getInt(verifier + 4) + 3 & ~3);
    }

    /** Returns the opaque data at an offset; empty if their length cannot be that of a handle. */
    private static byte[] opaque(ByteBuffer in, int at) {
        if (at + 4 > in.limit()) {
            return new byte[0];
        }
        int lengthBytes = in.getInt(at);
        return lengthBytes < 0 || lengthBytes > 128 || lengthBytes > in.limit() - at - 4
                ? new byte[0]
                : bytes(in, at + 4, lengthBytes);
    }

    private static byte[] bytes(ByteBuffer in, int at, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        in.get(at, bytes);
        return bytes;
    }

    private static void copy(ByteBuffer in, int at, int lengthBytes, ByteArrayOutputStream out) {
        out.writeBytes(bytes(in, at, lengthBytes));
    }

    private static void word(ByteArrayOutputStream out, int word) {
        out.writeBytes(ByteBuffer.allocate(4).putInt(word).array());
    }
}
