package org.warpnfs.rpcrdma.oncrpc;

import java.util.HashMap;
import java.util.Map;

/**
 * Lists the results of procedures that are DDP-eligible (RFC 8166, section 6), for programs that do not mark them
 * themselves.
 *
 * <h2>Operation</h2>
 *
 * A program that was written for this transport encodes an eligible result by {@code xdrEncodePayload} or a
 * {@code ByteBuffer} encoder. A program that was written for TCP encodes it by {@code xdrEncodeDynamicOpaque} or
 * {@code xdrEncodeString}, like any other item. For the procedures that are bound here, these encoders do what
 * {@code xdrEncodePayload} does, with a copy. The result goes to the Write chunk with its number, if the requester
 * offered one, and else stays in the reply. Other procedures are not affected.
 *
 * <p>All opaques, or all strings, in the results of a bound procedure become items, and Write chunks are assigned to
 * items in order. So a procedure can be bound only if the upper-layer binding calls all of them eligible. An NFSv4
 * COMPOUND cannot be bound.
 *
 * <h2>Buffers</h2>
 *
 * The copy belongs to the reply. The program may reuse its array as soon as the encoder has returned.
 *
 * <h2>Errors</h2>
 *
 * None. Immutable; safe for any thread.
 */
public final class UpperLayerBindings {
    private static final int NFS = 100_003;
    private static final int READLINK = 5;
    private static final int READ = 6;

    /** Binds no procedure. */
    public static final UpperLayerBindings NONE = builder().build();

    /**
     * NFS versions 2 and 3: the data of READ and the path of READLINK (RFC 8267, section 2.1). Version 4 is not
     * included, because its eligible results are mixed with others in one COMPOUND (section 4.2).
     */
    public static final UpperLayerBindings RFC_8267 = builder()
            .opaqueResults(NFS, 2, READ, READLINK)
            .stringResults(NFS, 2, READLINK)
            .opaqueResults(NFS, 3, READ, READLINK)
            .stringResults(NFS, 3, READLINK)
            .build();

    /** The eligible items in the results of one procedure. */
    enum Eligible {
        NOTHING(false, false),
        OPAQUES(true, false),
        STRINGS(false, true),
        BOTH(true, true);

        private final boolean opaques;
        private final boolean strings;

        Eligible(boolean opaques, boolean strings) {
            this.opaques = opaques;
            this.strings = strings;
        }

        boolean opaques() {
            return opaques;
        }

        boolean strings() {
            return strings;
        }

        private Eligible and(Eligible other) {
            if (this == other || other == NOTHING) {
                return this;
            }
            return this == NOTHING ? other : BOTH;
        }
    }

    private record Procedure(int program, int version, int procedure) {}

    private final Map<Procedure, Eligible> eligible;

    private UpperLayerBindings(Map<Procedure, Eligible> eligible) {
        this.eligible = Map.copyOf(eligible);
    }

    /** A builder that starts with no bindings. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these bindings. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.eligible.putAll(eligible);
        return builder;
    }

    /** The eligible items of a procedure. */
    Eligible of(int program, int version, int procedure) {
        return eligible.getOrDefault(new Procedure(program, version, procedure), Eligible.NOTHING);
    }

    /** Collects bindings. Not safe for use by two threads at once. */
    public static final class Builder {
        private final Map<Procedure, Eligible> eligible = new HashMap<>();

        private Builder() {}

        /**
         * Makes every opaque in the results of these procedures eligible, which are the items that a program encodes by
         * {@code xdrEncodeDynamicOpaque}.
         */
        public Builder opaqueResults(int program, int version, int... procedures) {
            return add(Eligible.OPAQUES, program, version, procedures);
        }

        /**
         * Makes every string in the results of these procedures eligible, which are the items that a program encodes by
         * {@code xdrEncodeString}.
         */
        public Builder stringResults(int program, int version, int... procedures) {
            return add(Eligible.STRINGS, program, version, procedures);
        }

        private Builder add(Eligible added, int program, int version, int... procedures) {
            for (int procedure : procedures) {
                eligible.merge(new Procedure(program, version, procedure), added, Eligible::and);
            }
            return this;
        }

        public UpperLayerBindings build() {
            return new UpperLayerBindings(eligible);
        }
    }
}
