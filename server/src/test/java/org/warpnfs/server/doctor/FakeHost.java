package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.warpnfs.server.limits.Machine;

/** A host whose files, programs, ports and resources are set by a test. */
final class FakeHost implements Host {
    private final Map<Path, String> texts = new HashMap<>();
    private final Set<String> programs = new HashSet<>();
    private final Map<Integer, PortState> ports = new HashMap<>();
    private String fileSystem = "ext4";
    private boolean isWritable = true;
    private Machine machine = new Machine(4L << 30, 4L << 30, Long.MAX_VALUE, 65_536, 16_384, 48_000);
    private Instant now = Instant.parse("2026-06-01T00:00:00Z");

    FakeHost file(String path, String text) {
        texts.put(Path.of(path), text);
        return this;
    }

    FakeHost program(String name) {
        programs.add(name);
        return this;
    }

    FakeHost port(int port, PortState state) {
        ports.put(port, state);
        return this;
    }

    FakeHost stateOn(String type, boolean writable) {
        fileSystem = type;
        isWritable = writable;
        return this;
    }

    FakeHost machine(Machine other) {
        machine = other;
        return this;
    }

    FakeHost at(String instant) {
        now = Instant.parse(instant);
        return this;
    }

    @Override
    public Optional<String> text(Path file) {
        return Optional.ofNullable(texts.get(file));
    }

    @Override
    public List<String> names(Path directory) {
        Set<String> names = new TreeSet<>();
        texts.keySet().stream()
                .filter(file -> file.startsWith(directory) && !file.equals(directory))
                .forEach(
                        file -> names.add(file.getName(directory.getNameCount()).toString()));
        return List.copyOf(names);
    }

    @Override
    public boolean exists(Path path) {
        return texts.keySet().stream().anyMatch(file -> file.startsWith(path));
    }

    @Override
    public boolean hasProgram(String name) {
        return programs.contains(name);
    }

    @Override
    public PortState port(int port) {
        return ports.getOrDefault(port, PortState.FREE);
    }

    @Override
    public boolean isWritable(Path directory) {
        return isWritable;
    }

    @Override
    public String fileSystemOf(Path directory) {
        return fileSystem;
    }

    @Override
    public Machine machine() {
        return machine;
    }

    @Override
    public Instant now() {
        return now;
    }
}
