package org.warpnfs.rpcrdma.oncrpc;

import java.util.HashMap;
import java.util.Map;

/**
 * Which results of which procedures are DDP-eligible (RFC 8166, section 6), for programs that do not say so themselves.
 *
 * <h2>Operation</h2>
 *
 * A program that knows this transport hands an eligible result over by {@code xdrEncodePayload} or a {@code ByteBuffer}
 * encoder. One that was written for TCP encodes it by {@code xdrEncodeDynamicOpaque} or {@code xdrEncodeString}, like
 * any other item. For the procedures that are bound here these encoders do what {@code xdrEncodePayload} does, with a
 * copy: the result goes to the Write chunk of its number, if the requester offered one, and stays in the reply if not.
 * For all others nothing changes.
 *
 * <p>All opaques, or all strings, of a bound procedure's results are items, and Write chunks are for items in their
 * order. So a procedure can be bound only if the upper-layer binding calls all of them eligible; an NFSv4 COMPOUND
 * cannot.
 *
 * <h2>Buffers</h2>
 *
 * The copy belongs to the reply: the program may use its array again as soon as the encoder has returned.
 *
 * <h2>Errors</h2>
 *
 * None. Immutable; safe for any thread.
 */
public final class UpperLayerBindings {
    private static final int NFS = 100_003;
    private static final int READLINK = 5;
    private static final int READ = 6;

    /** No program needs it. */
    public static final UpperLayerBindings NONE = builder().build();

    /**
     * NFS versions 2 and 3: the data of READ and the path of READLINK (RFC 8267, section 2.1). Version 4 is not here,
     * as its eligible results are among many others in one COMPOUND (section 4.2).
     */
    public static final UpperLayerBindings RFC_8267 = builder()
            .opaqueResults(NFS, 2, READ, READLINK)
            .stringResults(NFS, 2, READLINK)
            .opaqueResults(NFS, 3, READ, READLINK)
            .stringResults(NFS, 3, READLINK)
            .build();

    /** What is eligible in the results of one procedure. */
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

    /** Begins with nothing bound. */
    public static Builder builder() {
        return new Builder();
    }

    /** Begins with what is bound here. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.eligible.putAll(eligible);
        return builder;
    }

    /** Looks a procedure up. */
    Eligible of(int program, int version, int procedure) {
        return eligible.getOrDefault(new Procedure(program, version, procedure), Eligible.NOTHING);
    }

    /** Collects bindings. Not safe for two threads at once. */
    public static final class Builder {
        private final Map<Procedure, Eligible> eligible = new HashMap<>();

        private Builder() {}

        /**
         * Every opaque in the results of these procedures is eligible: what a program encodes by
         * {@code xdrEncodeDynamicOpaque}.
         */
        public Builder opaqueResults(int program, int version, int... procedures) {
            return add(Eligible.OPAQUES, program, version, procedures);
        }

        /**
         * Every string in the results of these procedures is eligible: what a program encodes by
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
