package org.warpnfs.iwarp.qp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.rdmap.RdmapError;
import org.warpnfs.iwarp.rdmap.TerminateError;

/**
 * The cause of a Terminate as stable names, for counters. It corresponds to the numbers of {@link TerminateError}.
 *
 * @param layer {@code rdma}, {@code ddp}, {@code llp}, or {@code unassigned}
 * @param code the error's name, such as {@code protection_bounds}; {@code unassigned} for numbers that no RFC assigns
 */
public record TerminateCause(String layer, String code) {
    private static final String UNASSIGNED = "unassigned";
    private static final List<TerminateCause> ALL = everyOne();

    /** All causes. */
    public static List<TerminateCause> all() {
        return ALL;
    }

    private static List<TerminateCause> everyOne() {
        List<TerminateCause> causes = new ArrayList<>();
        for (RdmapError error : RdmapError.values()) {
            causes.add(of(new TerminateError(TerminateError.LAYER_RDMA, error.type(), error.code())));
        }
        for (DdpError error : DdpError.values()) {
            causes.add(of(new TerminateError(TerminateError.LAYER_DDP, error.type(), error.code())));
        }
        for (MpaError error : MpaError.values()) {
            causes.add(of(new TerminateError(TerminateError.LAYER_LLP, MpaError.ERROR_TYPE, error.code())));
        }
        for (String layer : List.of("rdma", "ddp", "llp", UNASSIGNED)) {
            causes.add(new TerminateCause(layer, UNASSIGNED));
        }
        return List.copyOf(causes);
    }

    /** The cause that an error's numbers stand for. */
    public static TerminateCause of(TerminateError error) {
        return switch (error.layer()) {
            case TerminateError.LAYER_RDMA ->
                named(
                        "rdma",
                        Stream.of(RdmapError.values())
                                .filter(known -> known.type() == error.type()
                                        && (known.code() == error.code() || known == RdmapError.LOCAL_CATASTROPHIC)));
            case TerminateError.LAYER_DDP ->
                named(
                        "ddp",
                        Stream.of(DdpError.values())
                                .filter(known -> known.type() == error.type() && known.code() == error.code()));
            case TerminateError.LAYER_LLP ->
                named(
                        "llp",
                        Stream.of(MpaError.values())
                                .filter(known -> error.type() == MpaError.ERROR_TYPE && known.code() == error.code()));
            default -> new TerminateCause(UNASSIGNED, UNASSIGNED);
        };
    }

    private static TerminateCause named(String layer, Stream<? extends Enum<?>> found) {
        String code = found.findFirst()
                .map(known -> known.name().toLowerCase(Locale.ROOT))
                .orElse(UNASSIGNED);
        return new TerminateCause(layer, code);
    }
}
