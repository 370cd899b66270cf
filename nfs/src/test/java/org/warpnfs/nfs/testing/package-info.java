/** Classes that the tests of several programs share: a transport that keeps the reply, and captured messages. */
package org.warpnfs.nfs.testing;
