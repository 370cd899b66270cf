package org.warpnfs.example.zip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** Archives of strangers: names that lead elsewhere, sizes that are not true, and damage. */
class HostileZipTest {
    private static final int FILE = ZipWriter.REGULAR | 0644;

    @TempDir
    private Path directory;

    private FileSystem open(ZipWriter zip) throws Exception {
        return ZipContractTest.open(zip.write(directory.resolve("a.zip")));
    }

    private static List<String> names(FileSystem files, FileHandle at) throws FsException {
        List<String> names = new ArrayList<>();
        files.list(Caller.ROOT, at, 0, false, entry -> names.add(entry.name().toString()));
        return names;
    }

    private static FileHandle find(FileSystem files, String path) throws FsException {
        FileHandle at = files.root();
        for (String name : path.split("/", -1)) {
            at = files.lookup(Caller.ROOT, at, FileName.of(name)).handle();
        }
        return at;
    }

    private static byte[] read(FileSystem files, String path, long offset, int length) throws FsException {
        try (OpenFile open = files.open(Caller.ROOT, find(files, path), OpenAccess.READ)) {
            ByteBuffer sink = ByteBuffer.allocate(length);
            open.read(sink, offset);
            return Arrays.copyOf(sink.array(), sink.position());
        }
    }

    private static void assertFails(FsError expected, FileSystem files, String path) {
        assertThatThrownBy(() -> read(files, path, 0, 100))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(expected));
    }

    @Test
    void names_thatLeadElsewhere_areLeftOut() throws Exception {
        ZipWriter zip = new ZipWriter().add("good", FILE, ZipContractTest.bytes("good"), false);
        for (String name : List.of(
                "../evil",
                "a/../../evil",
                "/etc/passwd",
                "./x",
                "a/./b",
                "a//b",
                "..",
                ".",
                "/",
                "",
                "nul\0",
                "n".repeat(256),
                "d/".repeat(200) + "deep")) {
            zip.add(name, FILE, ZipContractTest.bytes("evil"), true);
        }
        try (FileSystem files = open(zip)) {
            assertThat(names(files, files.root())).containsExactly("good");
            assertThat(read(files, "good", 0, 10)).isEqualTo(ZipContractTest.bytes("good"));
        }
    }

    @Test
    void names_thatComeTwice_areThoseOfTheFirst() throws Exception {
        ZipWriter zip = new ZipWriter()
                .add("f", FILE, ZipContractTest.bytes("first"), false)
                .add("f", FILE, ZipContractTest.bytes("second"), false)
                .add("f/inside", FILE, new byte[1], false)
                .add("f/", ZipWriter.DIRECTORY | 0755, new byte[0], false)
                .add("d/inside", FILE, new byte[1], false)
                .add("d", ZipWriter.SYMLINK | 0777, ZipContractTest.bytes("/etc"), false)
                .add("d/", ZipWriter.DIRECTORY | 0700, new byte[0], false)
                .add("l", ZipWriter.SYMLINK | 0777, ZipContractTest.bytes("/etc"), false)
                .add("l/passwd", FILE, ZipContractTest.bytes("evil"), false);
        try (FileSystem files = open(zip)) {
            assertThat(names(files, files.root())).containsExactly("f", "d", "l");
            assertThat(read(files, "f", 0, 10)).isEqualTo(ZipContractTest.bytes("first"));
            assertThat(names(files, find(files, "d"))).containsExactly("inside");
            assertThat(files.attributes(find(files, "d")).permissions()).isEqualTo(0700);
        }
    }

    @Test
    void modes_ofDevicesAndSetUserId_areNotTaken() throws Exception {
        ZipWriter zip = new ZipWriter()
                .add("suid", ZipWriter.REGULAR | 06755, new byte[1], false)
                .add("dev", 0020000 | 0666, new byte[0], false)
                .add("fifo", 0010000 | 0666, new byte[0], false);
        try (FileSystem files = open(zip)) {
            assertThat(names(files, files.root())).containsExactly("suid");
            assertThat(files.attributes(find(files, "suid")).permissions()).isEqualTo(0755);
        }
    }

    @Test
    void sizes_thatCannotBeTrue_areNotRead() throws Exception {
        ZipWriter.Claim huge = new ZipWriter.Claim();
        huge.sizeBytes = 0xffff_fff0L;
        ZipWriter.Claim beyond = new ZipWriter.Claim();
        beyond.compressedBytes = 0x7fff_ffffL;
        ZipWriter.Claim elsewhere = new ZipWriter.Claim();
        elsewhere.headerOffset = 0xffff_fff0L;
        ZipWriter.Claim link = new ZipWriter.Claim();
        link.sizeBytes = 5000L;
        ZipWriter zip = new ZipWriter()
                .add("huge", FILE, new byte[100], true, huge)
                .add("stored", FILE, new byte[100], false, huge)
                .add("beyond", FILE, new byte[100], true, beyond)
                .add("elsewhere", FILE, new byte[100], true, elsewhere)
                .add("link", ZipWriter.SYMLINK | 0777, new byte[5000], true, link);
        try (FileSystem files = open(zip)) {
            assertThat(files.attributes(find(files, "huge")).sizeBytes()).isEqualTo(0xffff_fff0L);
            for (String path : List.of("huge", "stored", "beyond", "elsewhere")) {
                assertFails(FsError.IO, files, path);
            }
            FileHandle handle = find(files, "link");
            assertThatThrownBy(() -> files.readSymlink(Caller.ROOT, handle))
                    .isInstanceOfSatisfying(
                            FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.IO));
        }
    }

    @Test
    void contents_thatAreNotWhatIsClaimed_failWhereTheyAreRead() throws Exception {
        byte[] data = new byte[200_000];
        new Random(1).nextBytes(data);
        ZipWriter.Claim longer = new ZipWriter.Claim();
        longer.sizeBytes = 250_000L;
        ZipWriter.Claim sum = new ZipWriter.Claim();
        sum.crc = 7L;
        ZipWriter.Claim secret = new ZipWriter.Claim();
        secret.flags = 1;
        ZipWriter.Claim other = new ZipWriter.Claim();
        other.method = 14;
        ZipWriter.Claim garbage = new ZipWriter.Claim();
        garbage.method = 8;
        ZipWriter zip = new ZipWriter()
                .add("longer", FILE, data, true, longer)
                .add("sum", FILE, data, true, sum)
                .add("secret", FILE, data, true, secret)
                .add("lzma", FILE, data, true, other)
                .add("garbage", FILE, data, false, garbage)
                .add("good", FILE, data, true);
        try (FileSystem files = open(zip)) {
            assertThat(read(files, "longer", 0, 100)).isEqualTo(Arrays.copyOf(data, 100));
            assertThatThrownBy(() -> read(files, "longer", 210_000, 100)).isInstanceOf(FsException.class);
            assertThat(read(files, "sum", 0, 100)).isEqualTo(Arrays.copyOf(data, 100));
            assertThatThrownBy(() -> read(files, "sum", 199_990, 100)).isInstanceOf(FsException.class);
            assertFails(FsError.NOT_SUPPORTED, files, "secret");
            assertFails(FsError.NOT_SUPPORTED, files, "lzma");
            assertFails(FsError.IO, files, "garbage");
            assertThat(read(files, "good", 0, 300_000)).isEqualTo(data);
        }
    }

    @Test
    void archive_cutAnywhereOrDamaged_isRefusedOrServed() throws Exception {
        byte[] whole = new ZipWriter()
                .add("a/b", FILE, new byte[1000], true)
                .add("c", FILE, ZipContractTest.bytes("text"), false)
                .toBytes();
        Path path = directory.resolve("cut.zip");
        for (int length = 0; length < whole.length; length++) {
            Files.write(path, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ZipContractTest.open(path)).isInstanceOf(BackendException.class);
        }
        Random random = new Random(5);
        for (int i = 0; i < 2000; i++) {
            byte[] damaged = whole.clone();
            damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(path, damaged);
            try (FileSystem files = ZipContractTest.open(path)) {
                for (String name : names(files, files.root())) {
                    readIfItCan(files, name);
                }
            } catch (BackendException e) {
                assertThat(e).hasMessageStartingWith(path + ": ");
            }
        }
    }

    private static void readIfItCan(FileSystem files, String name) {
        try {
            read(files, name, 0, 100);
        } catch (FsException e) {
            assertThat(e.error()).isNotNull();
        }
    }

    @Test
    void archive_thatIsNotThere_isNamedAsThat() {
        Path path = directory.resolve("no.zip");
        assertThatThrownBy(() -> ZipContractTest.open(path))
                .isInstanceOf(BackendException.class)
                .hasMessage(path + ": there is no such file");
    }

    @Test
    void archive_ofTooManyFiles_isRefused() {
        ZipWriter zip = new ZipWriter();
        for (int i = 0; i < 200; i++) {
            zip.add("d/".repeat(100) + i + "/x", FILE, new byte[0], false);
            zip.add(i + "/" + "d/".repeat(100), FILE, new byte[0], false);
        }
        assertThatThrownBy(() -> open(zip))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("more than 10000 files");
    }

    @Test
    void archive_ofTheJdk_isRead() throws Exception {
        Path path = directory.resolve("jdk.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(path))) {
            out.setComment("a comment behind the end");
            for (String name : List.of("META-INF/", "META-INF/MANIFEST.MF", "org/example/Main.class")) {
                out.putNextEntry(new ZipEntry(name));
                out.write(name.endsWith("/") ? new byte[0] : ZipContractTest.bytes(name));
            }
        }
        try (FileSystem files = ZipContractTest.open(path)) {
            assertThat(names(files, files.root())).containsExactly("META-INF", "org");
            assertThat(read(files, "org/example/Main.class", 0, 100))
                    .isEqualTo(ZipContractTest.bytes("org/example/Main.class"));
        }
    }

    @Test
    void archive_thatIsReplaced_makesHandlesStale() throws Exception {
        FileHandle handle;
        try (FileSystem files = open(new ZipWriter().add("f", FILE, new byte[1], false))) {
            handle = find(files, "f");
        }
        try (FileSystem files = open(new ZipWriter().add("f", FILE, new byte[2], false))) {
            assertThatThrownBy(() -> files.attributes(handle))
                    .isInstanceOfSatisfying(
                            FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.STALE));
        }
    }
}
