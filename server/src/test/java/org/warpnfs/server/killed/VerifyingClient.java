package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.warpnfs.server.killed.Change.Kind;
import org.warpnfs.server.killed.FileCalls.Answer;

/**
 * A client that changes names and writes data in its own directory until the server is killed. After a restart it
 * checks that all acknowledged changes are there, repeats the calls that were in progress, and goes on.
 */
final class VerifyingClient {
    /** The value of both NFS3ERR_JUKEBOX and NFS4ERR_DELAY. */
    private static final int TRY_LATER = 10008;

    private static final int MAX_PROBES = 500;
    private static final long PROBE_PAUSE_MILLIS = 20;
    /** @param version 3, or 40 to 42 */
    record Kindred(int version, Link.Way way) {
        @Override
        public String toString() {
            return "nfs" + version + "-" + way;
        }
    }

    private record SentWrite(int xid, Node node, FileModel.Range range, int stable) {}

    private static final int RENEW_EVERY = 4;

    private final Kindred kindred;
    private final ServerProcess server;
    private final Link.Ends ends;
    private final SplittableRandom random;
    private final Tree tree;
    /** The held file; null in NFSv3. */
    private final Held held;

    private byte[] directory = new byte[0];
    private Change underWay;
    private SentWrite lostWrite;
    private long nextTag = 1;
    private int acknowledged;
    private int repeated;
    private Link link;
    private FileCalls calls;

    VerifyingClient(Kindred kindred, ServerProcess server, Link.Ends ends, SplittableRandom random) {
        this.kindred = kindred;
        this.server = server;
        this.ends = ends;
        this.random = random;
        int uid = server.plan().uid();
        tree = new Tree(server.plan().export().resolve(kindred.toString()), server.files(), random);
        held = kindred.version() == 3 ? null : new Held(kindred.version() - 40, kindred.toString(), uid);
    }

    /** Works until the server of this life ends. */
    void live(Life life, Runnable recovered) throws Exception {
        try (Link own = new Link(ends, server, life, kindred.way());
                Link rival = new Link(ends, server, life, kindred.way())) {
            link = own;
            calls = held == null ? new V3Calls(own, server.plan().uid()) : new V4Calls(own, held.client());
            recover(rival);
            recovered.run();
            for (int i = 0; !life.isKilled(); i++) {
                step();
                if (held != null && i % RENEW_EVERY == 0) {
                    assertThat(held.client().renew(link))
                            .as("renewing the lease")
                            .isZero();
                }
            }
        } catch (Gone e) {
            assertThat(life.mayEnd()).as("gone because it was killed").isTrue();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(kindred + " after " + acknowledged + " acknowledged calls: " + e, e);
        }
    }

    /**
     * Checks that a call without an answer was not done. A server that stops in order answers each call that it does.
     */
    void assertNothingDoneWithoutAnAnswer() throws Exception {
        Change change = underWay;
        // A change of size proves nothing, because the file may have had that size before.
        assertThat(change != null && change.kind() != Kind.SET_SIZE && tree.isDone(change))
                .as("%s: %s was done and not answered", kindred, change)
                .isFalse();
    }

    String summary() {
        return kindred + ": " + acknowledged + " acknowledged, " + repeated + " repeated"
                + (held == null ? "" : ", " + held.reclaimed() + " reclaimed");
    }

    int acknowledged() {
        return acknowledged;
    }

    int reclaimed() {
        return held == null ? 0 : held.reclaimed();
    }

    boolean hasState() {
        return held != null;
    }

    private Answer ask(Callable<Answer> call) throws Exception {
        return held == null ? call.call() : held.answerOutOfGrace(link, call);
    }

    // Recovery

    private void recover(Link rival) throws Exception {
        tree.names().values().forEach(node -> node.data.serverKilled());
        boolean done = underWay != null && tree.isDone(underWay);
        Change settled = done ? underWay : null;
        if (settled != null && !isMaking(settled)) {
            tree.done(settled, new byte[0]);
            underWay = null;
        }
        if (held != null) {
            held.recover(link, rival, directory, tree);
        }
        if (directory.length == 0) {
            makeDirectory();
        }
        if (settled != null) {
            if (underWay != null) {
                tree.done(settled, lookup(settled.name()));
                underWay = null;
            }
            repeatOfDone(settled);
        }
        verifyHandles();
        if (underWay != null) {
            perform(underWay);
            repeated++;
        }
        repeatLostWrite();
        if (held != null) {
            hold(rival);
        }
        tree.verify();
        verifyData();
        resend();
    }

    private static boolean isMaking(Change change) {
        return change.kind() == Kind.CREATE || change.kind() == Kind.MKDIR || change.kind() == Kind.SYMLINK;
    }

    private void makeDirectory() throws Exception {
        byte[] root = calls.root();
        Change make = new Change(Kind.MKDIR, Link.nextXid(), kindred.toString(), "", null, 0);
        Answer made = ask(() -> calls.perform(make, root));
        assertThat(made.status()).as("MKDIR of its own directory").isIn(0, 17);
        Answer found = calls.lookup(root, kindred.toString());
        assertThat(found.status()).as("LOOKUP of its own directory").isZero();
        directory = found.handle();
    }

    private byte[] lookup(String name) throws Exception {
        Answer found = calls.lookup(directory, name);
        assertThat(found.status()).as("LOOKUP of %s", name).isZero();
        return found.handle();
    }

    /** Repeats a change that the killed server had done. The answer must say that it is done already. */
    private void repeatOfDone(Change change) throws Exception {
        Answer answer = ask(() -> calls.perform(change, directory));
        assertThat(change.isAnswerOfRepetition(answer.status()))
                .as(
                        "%s of %s, which was done before the kill, is answered by %d",
                        change.kind(), change.name(), answer.status())
                .isTrue();
        repeated++;
    }

    /**
     * Sends GETATTR. A killed server may not have stored all handles of its table, so its successor searches for the
     * files of unknown handles. One search runs at a time, and other requests are told to try again later.
     */
    private int probe(byte[] handle) throws Exception {
        int status = calls.probe(handle);
        for (int again = 0; status == TRY_LATER && again < MAX_PROBES; again++) {
            Thread.sleep(PROBE_PAUSE_MILLIS);
            status = calls.probe(handle);
        }
        return status;
    }

    private void verifyHandles() throws Exception {
        assertThat(probe(directory)).as("GETATTR of its directory").isZero();
        for (Map.Entry<String, Node> entry : tree.names().entrySet()) {
            assertThat(probe(entry.getValue().handle))
                    .as("GETATTR of %s by a handle from before", entry.getKey())
                    .isZero();
            assertThat(lookup(entry.getKey()))
                    .as("handle of %s", entry.getKey())
                    .isEqualTo(entry.getValue().handle);
        }
    }

    private void hold(Link rival) throws Exception {
        if (held.node() == null) {
            Change make = new Change(Kind.CREATE, Link.nextXid(), tree.freshName("held"), "", null, 0);
            perform(make, false);
            held.hold(tree.names().get(make.name()));
        }
        held.lock(link);
        held.contest(link, rival, directory, tree);
    }

    private void verifyData() throws Exception {
        for (Node file : tree.files()) {
            file.data.verifyAfterKill(read(file), kindred + "/" + tree.nameOf(file));
        }
    }

    private ByteBuffer read(Node file) throws Exception {
        ByteBuffer[] data = new ByteBuffer[1];
        Answer answer = ask(() -> {
            data[0] = calls.read(file.handle);
            return new Answer(data[0].getInt());
        });
        assertThat(answer.status()).as("READ").isZero();
        return data[0];
    }

    private void repeatLostWrite() throws Exception {
        SentWrite lost = lostWrite;
        if (lost != null && tree.files().contains(lost.node())) {
            // The WRITE can be repeated whole, because no SETATTR followed it that could have shortened the file.
            send(lost);
            repeated++;
        }
        lostWrite = null;
    }

    /** Sends the data again that the previous server did not commit. */
    private void resend() throws Exception {
        for (Node file : tree.files()) {
            for (FileModel.Range range : file.data.toRepeat()) {
                send(new SentWrite(Link.nextXid(), file, range, 0));
            }
            commit(file);
        }
    }

    // Work

    private void step() throws Exception {
        List<Node> files = tree.files();
        int what = random.nextInt(10);
        if (files.isEmpty() || what < 4) {
            perform(tree.draw(held == null ? null : held.node()));
        } else if (what < 8) {
            int first = random.nextInt(FileModel.BLOCKS);
            int count = 1 + random.nextInt(FileModel.BLOCKS - first);
            FileModel.Range range = new FileModel.Range(first, count, nextTag++);
            send(new SentWrite(Link.nextXid(), tree.pick(files), range, random.nextInt(3)));
        } else if (what == 8) {
            commit(tree.pick(files));
        } else {
            Node file = tree.pick(files);
            file.data.verify(read(file), kindred + "/" + tree.nameOf(file));
        }
    }

    private void perform(Change change) throws Exception {
        perform(change, true);
    }

    /**
     * Performs a change. An answer of "try later" must change nothing, and success must mean that the change is done.
     */
    private void perform(Change change, boolean settles) throws Exception {
        underWay = change;
        tree.sent(change);
        boolean before = tree.isDone(change);
        Answer answer = ask(() -> {
            assertThat(tree.isDone(change))
                    .as("%s of %s was put off and done", change.kind(), change.name())
                    .isEqualTo(before);
            return calls.perform(change, directory);
        });
        assertThat(answer.status()).as("%s of %s", change.kind(), change.name()).isZero();
        assertThat(tree.isDone(change))
                .as("%s of %s", change.kind(), change.name())
                .isTrue();
        tree.done(change, answer.handle());
        underWay = null;
        acknowledged++;
        if (settles) {
            calls.settle();
        }
    }

    private void send(SentWrite write) throws Exception {
        lostWrite = write;
        FileModel data = write.node().data;
        data.sent(write.range());
        Answer answer = ask(() -> calls.write(write.xid(), write.node().handle, write.range(), write.stable()));
        assertThat(answer.status()).as("WRITE").isZero();
        assertThat(answer.committed()).as("how stable what was written is").isGreaterThanOrEqualTo(write.stable());
        link.life().saw(held == null, answer.verifier());
        data.answered(write.range(), answer.committed() > 0);
        lostWrite = null;
        acknowledged++;
    }

    private void commit(Node file) throws Exception {
        Answer answer = ask(() -> calls.commit(file.handle));
        assertThat(answer.status()).as("COMMIT").isZero();
        link.life().saw(held == null, answer.verifier());
        file.data.committed();
        acknowledged++;
    }
}
