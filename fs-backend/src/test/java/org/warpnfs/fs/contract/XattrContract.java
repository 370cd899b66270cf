package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.XattrMode;

/** User extended attributes. */
@Needs(Capability.XATTRS)
public abstract class XattrContract extends ContractFixture {
    @Test
    void setXattr_onFileAndDirectory_isReadBackAndListed() throws Exception {
        for (FileHandle file : new FileHandle[] {file(root, "f"), directory(root, "d")}) {
            assertThat(fs.listXattrs(ROOT, file)).isEmpty();
            long before = attributes(file).changeId();
            fs.setXattr(ROOT, file, bytes("a"), bytes("1"), XattrMode.EITHER);
            assertThat(attributes(file).changeId()).isGreaterThan(before);
            fs.setXattr(ROOT, file, bytes("b"), new byte[0], XattrMode.CREATE);
            assertThat(fs.getXattr(ROOT, file, bytes("a"))).isEqualTo(bytes("1"));
            assertThat(fs.getXattr(ROOT, file, bytes("b"))).isEmpty();
            assertThat(fs.listXattrs(ROOT, file)).containsExactlyInAnyOrder(bytes("a"), bytes("b"));
            fs.setXattr(ROOT, file, bytes("a"), bytes("22"), XattrMode.REPLACE);
            assertThat(fs.getXattr(ROOT, file, bytes("a"))).isEqualTo(bytes("22"));
            fs.removeXattr(ROOT, file, bytes("a"));
            assertThat(fs.listXattrs(ROOT, file)).containsExactly(bytes("b"));
        }
    }

    @Test
    void setXattr_againstItsMode_isRefused() throws Exception {
        FileHandle file = file(root, "f");

        assertFails(FsError.NO_ATTRIBUTE, () -> fs.setXattr(ROOT, file, bytes("a"), bytes("1"), XattrMode.REPLACE));

        fs.setXattr(ROOT, file, bytes("a"), bytes("1"), XattrMode.CREATE);
        assertFails(FsError.EXISTS, () -> fs.setXattr(ROOT, file, bytes("a"), bytes("2"), XattrMode.CREATE));
        assertThat(fs.getXattr(ROOT, file, bytes("a"))).isEqualTo(bytes("1"));
    }

    @Test
    void xattr_absent_noAttribute() throws Exception {
        FileHandle file = file(root, "f");

        assertFails(FsError.NO_ATTRIBUTE, () -> fs.getXattr(ROOT, file, bytes("a")));
        assertFails(FsError.NO_ATTRIBUTE, () -> fs.removeXattr(ROOT, file, bytes("a")));
    }

    @Test
    void xattr_badNameOrTooBig_isRefused() throws Exception {
        FileHandle file = file(root, "f");

        assertFails(
                FsError.ATTRIBUTE_TOO_BIG, () -> fs.setXattr(ROOT, file, new byte[251], bytes("1"), XattrMode.EITHER));
        assertFails(
                FsError.ATTRIBUTE_TOO_BIG,
                () -> fs.setXattr(ROOT, file, bytes("a"), new byte[65_537], XattrMode.EITHER));
        assertFails(FsError.INVALID, () -> fs.setXattr(ROOT, file, new byte[0], bytes("1"), XattrMode.EITHER));
        assertFails(FsError.INVALID, () -> fs.getXattr(ROOT, file, new byte[] {'a', 0, 'b'}));
    }

    @Test
    void xattr_largeNameAndValue_isReadBack() throws Exception {
        FileHandle file = file(root, "f");
        byte[] longName = bytes("n".repeat(250));
        byte[] value = random(9, 2000);
        fs.setXattr(ROOT, file, longName, value, XattrMode.CREATE);

        assertThat(fs.getXattr(ROOT, file, longName)).isEqualTo(value);
        assertThat(fs.listXattrs(ROOT, file)).containsExactly(longName);
    }

    @Test
    @Needs(Capability.SYMLINKS)
    void xattr_onASymlink_isNotTheTargets() throws Exception {
        FileHandle target = file(root, "f");
        fs.setXattr(ROOT, target, bytes("a"), bytes("1"), XattrMode.EITHER);
        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("f"), AttributeChanges.NONE)
                .handle();

        assertThat(fs.listXattrs(ROOT, link)).isEmpty();
        assertFails(FsError.NO_ATTRIBUTE, () -> fs.getXattr(ROOT, link, bytes("a")));
        assertFails(FsError.NOT_PERMITTED, () -> fs.setXattr(ROOT, link, bytes("a"), bytes("2"), XattrMode.EITHER));
        assertThat(fs.getXattr(ROOT, target, bytes("a"))).isEqualTo(bytes("1"));
    }
}
