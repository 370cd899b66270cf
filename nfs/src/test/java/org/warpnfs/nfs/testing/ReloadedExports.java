package org.warpnfs.nfs.testing;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;

/**
 * An export at {@code /data} that is reloaded, with other rules and the same files, while a call runs: after the first
 * filehandle of it has been looked up, and before the next one is.
 */
public final class ReloadedExports {
    private static final ExportOptions OPTIONS = ExportOptions.DEFAULTS.withSquash(Squash.NONE);

    private final FileSystem files;
    private final ExportOptions after;
    private final Export before;
    private final ExportTable table;

    /** Makes the exports of {@code files}. */
    public ReloadedExports(FileSystem files) {
        this(files, Flavor.SYS);
    }

    /** Makes the exports of {@code files}, which take only this flavor until they are reloaded. */
    public ReloadedExports(FileSystem files, Flavor before) {
        this(files, before, false);
    }

    /**
     * Makes the exports of {@code files}, which take only this flavor until they are reloaded.
     *
     * @param readOnly true if they are read-only from then on
     */
    public ReloadedExports(FileSystem files, Flavor before, boolean readOnly) {
        this.files = files;
        this.after = OPTIONS.withReadOnly(readOnly);
        this.before = export(
                HostPattern.of("client.example.org", new ReloadWhenAsked()), OPTIONS.withFlavors(List.of(before)));
        this.table = ExportTable.of(List.of(this.before));
    }

    private Export export(HostPattern clients, ExportOptions options) {
        return Export.of(
                PseudoPath.of("/data"), files, ExportPolicy.of(List.of(new ExportRule(clients, options))), "memory");
    }

    /** The export until it is reloaded. */
    public Export before() {
        return before;
    }

    public ExportTable table() {
        return table;
    }

    /** Every name is that of this host. The question comes when a call is admitted to an export. */
    private final class ReloadWhenAsked implements HostNames {
        @Override
        public Set<InetAddress> addressesOf(String name) {
            table.replace(List.of(export(new HostPattern.Everyone(), after)));
            return Set.of(InetAddress.getLoopbackAddress());
        }

        @Override
        public List<String> namesOf(InetAddress address) {
            return List.of();
        }

        @Override
        public boolean isInNetgroup(String netgroup, String host) {
            return false;
        }
    }
}
