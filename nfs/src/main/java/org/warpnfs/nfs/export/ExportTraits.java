package org.warpnfs.nfs.export;

import org.jspecify.annotations.Nullable;

/**
 * Properties of an export that are the same for all clients.
 *
 * @param fsid identifies its file system to clients, over restarts and moves; null to derive it from the path
 * @param crossesMounts file systems mounted below it are served with it
 * @param shownThroughParent an NFSv3 client that has mounted the export above gets into this one; NFSv4 clients always
 *     do
 * @param readDirPlus NFSv3 clients may ask for attributes in listings
 * @param layouts NFSv4.1 clients may read and write its files at data servers
 * @param layoutsOnly NFSv3 clients may only read and write, with handles of layouts
 * @param locations other places of the files
 */
public record ExportTraits(
        @Nullable String fsid,
        boolean crossesMounts,
        boolean shownThroughParent,
        boolean readDirPlus,
        boolean layouts,
        boolean layoutsOnly,
        FsLocations locations) {
    /** As exports(5): nocrossmnt, hide, no_pnfs, no_layouts_only. */
    public static final ExportTraits DEFAULTS =
            new ExportTraits(null, false, false, true, false, false, FsLocations.NONE);

    public ExportTraits withFsid(@Nullable String value) {
        return new ExportTraits(value, crossesMounts, shownThroughParent, readDirPlus, layouts, layoutsOnly, locations);
    }

    public ExportTraits withCrossesMounts(boolean value) {
        return new ExportTraits(fsid, value, shownThroughParent, readDirPlus, layouts, layoutsOnly, locations);
    }

    public ExportTraits withShownThroughParent(boolean value) {
        return new ExportTraits(fsid, crossesMounts, value, readDirPlus, layouts, layoutsOnly, locations);
    }

    public ExportTraits withReadDirPlus(boolean value) {
        return new ExportTraits(fsid, crossesMounts, shownThroughParent, value, layouts, layoutsOnly, locations);
    }

    public ExportTraits withLocations(FsLocations value) {
        return new ExportTraits(fsid, crossesMounts, shownThroughParent, readDirPlus, layouts, layoutsOnly, value);
    }

    public ExportTraits withLayouts(boolean value) {
        return new ExportTraits(fsid, crossesMounts, shownThroughParent, readDirPlus, value, layoutsOnly, locations);
    }

    public ExportTraits withLayoutsOnly(boolean value) {
        return new ExportTraits(fsid, crossesMounts, shownThroughParent, readDirPlus, layouts, value, locations);
    }
}
