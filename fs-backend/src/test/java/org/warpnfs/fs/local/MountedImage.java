package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system in an image file, which the kernel mounts by a loop device. */
abstract class MountedImage implements AutoCloseable {
    Path image;

    private final String type;
    private final String options;
    private final Path mountPoint;
    private boolean mounted;

    /**
     * Prepares a mount. The image is made by the subclass.
     *
     * @param base the directory in which the mount point is made
     * @param options what {@code mount -o} is given besides {@code loop}, or an empty string
     */
    MountedImage(Path base, Path image, String type, String options) throws IOException {
        this.image = image;
        this.type = type;
        this.options = options.isEmpty() ? "loop" : "loop," + options;
        this.mountPoint = Files.createDirectory(base.resolve("mounted"));
    }

    /** The mount point of the file system. */
    final Path directory() {
        return mountPoint;
    }

    final void mount() throws IOException {
        Mounts.run("mount", "-o", options, "-t", type, image.toString(), mountPoint.toString());
        mounted = true;
    }

    final void unmount() throws IOException {
        Mounts.run("umount", mountPoint.toString());
        mounted = false;
    }

    /** Unmounts lazily: the file system goes away after its last use. */
    final void unmountLazily() throws IOException {
        Mounts.run("umount", "-l", mountPoint.toString());
        mounted = false;
    }

    /** Mounts the file system again. What it contains then is on the medium. */
    final void remount() throws IOException {
        unmount();
        mount();
    }

    @Override
    public void close() throws IOException {
        if (mounted) {
            unmount();
        }
    }
}
