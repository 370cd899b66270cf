package org.warpnfs.fs.local;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;

/** A local file system on a device of the test. After the test it is closed, and then the device is. */
abstract class DeviceFixture<D extends MountedImage> extends LocalFixture {
    D device;

    @AfterEach
    @Override
    void stop() throws IOException {
        try {
            super.stop();
        } finally {
            if (device != null) {
                device.close();
            }
        }
    }
}
