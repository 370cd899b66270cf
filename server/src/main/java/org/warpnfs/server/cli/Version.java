package org.warpnfs.server.cli;

import picocli.CommandLine.IVersionProvider;

/** Reads the version from the jar's manifest. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"warpnfs " + number()};
    }

    static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
