package org.warpnfs.fs.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.warpnfs.fs.spi.Capability;

/**
 * The capabilities that a test, or every test of a class, is about. For a backend without them the test checks instead
 * that the backend refuses them as the SPI says.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Needs {
    Capability[] value();
}
