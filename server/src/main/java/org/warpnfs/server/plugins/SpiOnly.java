package org.warpnfs.server.plugins;

/**
 * The parent of the class loaders of plug-ins. It offers the JDK, the SPI and slf4j, but none of the server's classes
 * and libraries: so a plug-in can bring its own version of any library, and does not depend on the server's parts.
 */
final class SpiOnly extends ClassLoader {
    private static final ClassLoader SERVER = SpiOnly.class.getClassLoader();

    static {
        registerAsParallelCapable();
    }

    SpiOnly() {
        super("warpnfs-spi", getPlatformClassLoader());
    }

    /** Called for classes that the JDK does not have. */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.startsWith("org.warpnfs.fs.spi.") || name.startsWith("org.slf4j.")) {
            return SERVER.loadClass(name);
        }
        throw new ClassNotFoundException(
                name + " (a plug-in finds the JDK, org.warpnfs.fs.spi, org.slf4j and its own" + " jars)");
    }
}
