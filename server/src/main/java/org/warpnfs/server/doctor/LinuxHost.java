package org.warpnfs.server.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.warpnfs.server.limits.Machine;

/** This host. Only reads, except for a temporary file in the state directory. */
public final class LinuxHost implements Host {
    /** The largest file that is read; modules.dep of a distribution's kernel has some hundred KiB. */
    private static final int MAX_TEXT_BYTES = 8 << 20;

    private static final List<Path> PROGRAMS = List.of(
            Path.of("/usr/sbin"), Path.of("/sbin"), Path.of("/usr/bin"), Path.of("/bin"), Path.of("/usr/local/sbin"));

    @Override
    public Optional<String> text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return Optional.of(new String(in.readNBytes(MAX_TEXT_BYTES), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public List<String> names(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean hasProgram(String name) {
        return PROGRAMS.stream().anyMatch(directory -> Files.isExecutable(directory.resolve(name)));
    }

    @Override
    public PortState port(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return PortState.FREE;
        } catch (BindException e) {
            return String.valueOf(e.getMessage()).contains("denied") ? PortState.FORBIDDEN : PortState.TAKEN;
        } catch (IOException e) {
            return PortState.TAKEN;
        }
    }

    @Override
    public boolean isWritable(Path directory) {
        Path there = nearest(directory);
        if (!there.equals(directory.toAbsolutePath().normalize())) {
            return Files.isDirectory(there) && Files.isWritable(there);
        }
        try {
            Files.delete(Files.createTempFile(there, ".doctor", ""));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String fileSystemOf(Path directory) {
        try {
            return Files.getFileStore(nearest(directory)).type();
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the directory itself, or its nearest existing parent. */
    private static Path nearest(Path directory) {
        Path at = directory.toAbsolutePath().normalize();
        for (Path above = at; above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                return above;
            }
        }
        return at;
    }

    @Override
    public Machine machine() {
        return Machine.ofProcess();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }
}
