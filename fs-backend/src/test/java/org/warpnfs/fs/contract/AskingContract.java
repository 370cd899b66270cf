package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Attributes that are asked for one by one. Whatever is not asked for may have any value. */
public abstract class AskingContract extends ContractFixture {
    @Test
    void attributes_askedOneByOne_areThoseOfAllAfterEachChange() throws Exception {
        FileHandle file = file(root, "f");
        assertAsked(file);
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(bytes("hello")), 0, Stability.UNSTABLE);
            assertAsked(file);
            assertAsked(open);
            fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0640));
            assertAsked(open);
            if (can(Capability.HARD_LINKS)) {
                fs.link(ROOT, file, root, name("g"));
            }
            open.write(ByteBuffer.wrap(random(1, 20_000)), 10_000, Stability.FILE_SYNC);
            assertAsked(open);
            fs.setAttributes(ROOT, file, AttributeChanges.ofSize(3));
            assertAsked(open);
            assertThat(open.sizeBytes()).isEqualTo(3);
        }
        assertAsked(file);
        giveAway(file, "f", USER, 0604);
        assertAsked(file);
        FileHandle directory = directory(root, "d");
        assertAsked(directory);
        file(directory, "x");
        assertAsked(directory);
        assertAsked(root);
    }

    @Test
    void list_attributesAskedOneByOne_areThoseOfAll() throws Exception {
        write(file(root, "f"), 0, bytes("hello"));
        directory(root, "d");
        if (can(Capability.SYMLINKS)) {
            fs.makeSymlink(ROOT, root, name("l"), bytes("f"), AttributeChanges.NONE);
        }
        for (Set<FileAttribute> wanted : questions()) {
            List<Answer> answers = new ArrayList<>();
            fs.list(ROOT, root, 0, wanted, entry -> {
                answers.add(new Answer(entry.node().handle(), entry.node().attributes()));
                return true;
            });
            assertThat(answers).hasSize(can(Capability.SYMLINKS) ? 3 : 2);
            for (Answer each : answers) {
                assertSame(wanted, each.attributes(), attributes(each.file()));
            }
        }
    }

    private record Answer(FileHandle file, FileAttributes attributes) {}

    private void assertAsked(FileHandle file) throws Exception {
        for (Set<FileAttribute> wanted : questions()) {
            assertSame(wanted, fs.attributes(file, wanted), attributes(file));
        }
    }

    private static void assertAsked(OpenFile open) throws Exception {
        for (Set<FileAttribute> wanted : questions()) {
            assertSame(wanted, open.attributes(wanted), open.attributes());
        }
    }

    /** None, each, and all. */
    private static List<Set<FileAttribute>> questions() {
        List<Set<FileAttribute>> questions = new ArrayList<>();
        questions.add(FileAttribute.NONE);
        for (FileAttribute attribute : FileAttribute.values()) {
            questions.add(Set.of(attribute));
        }
        questions.add(FileAttribute.ALL);
        return questions;
    }

    private static void assertSame(Set<FileAttribute> wanted, FileAttributes asked, FileAttributes all) {
        assertThat(asked.type()).isEqualTo(all.type());
        assertThat(asked.fileId()).isEqualTo(all.fileId());
        assertThat(asked.fileSystemId()).isEqualTo(all.fileSystemId());
        assertThat(asked.deviceMajor()).isEqualTo(all.deviceMajor());
        assertThat(asked.deviceMinor()).isEqualTo(all.deviceMinor());
        for (FileAttribute attribute : wanted) {
            assertThat(value(attribute, asked))
                    .as("%s of %s", attribute, wanted)
                    .isEqualTo(value(attribute, all));
        }
    }

    private static Object value(FileAttribute attribute, FileAttributes of) {
        return switch (attribute) {
            case PERMISSIONS -> of.permissions();
            case LINK_COUNT -> of.linkCount();
            case OWNER -> of.uid();
            case GROUP -> of.gid();
            case SIZE -> of.sizeBytes();
            case USED -> of.usedBytes();
            case ACCESS_TIME -> of.accessTime();
            case MODIFY_TIME -> of.modifyTime();
            case CHANGE_TIME -> of.changeTime();
            case BIRTH_TIME -> of.birthTime();
            case CHANGE_ID -> of.changeId();
        };
    }
}
