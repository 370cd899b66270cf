package org.warpnfs.server;

import com.google.common.io.ByteSource;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Which methods call which, read from class files. A call of an interface or of a class that others extend may reach
 * each of their methods. A lambda is followed where it is given to a collection, which runs it at once; whoever else
 * gets one may run it anywhere.
 */
final class CallGraph {
    private static final String BLOCK = " {synchronized}";
    /** A handler of javac that leaves a synchronized block does so with its third instruction. */
    private static final int UNTIL_EXIT = 4;

    private static final Pattern RUNS_AT_ONCE = Pattern.compile(
            "java\\.(lang\\.Iterable|util\\.(stream\\..*|\\w*|concurrent\\.\\w*(Map|Set|Queue|Deque)))");

    private static final Set<String> LOCKS_OF_STATE = Set.of("locked", "change", "afterDepartures", "expireWhile");

    private final Map<Method, List<Method>> calls = new HashMap<>();
    private final Map<String, List<String>> below = new HashMap<>();
    private final Map<String, List<String>> above = new HashMap<>();
    private final Set<Method> bodies = new HashSet<>();
    private final Set<Method> underLock = new HashSet<>();
    private final Set<Method> onLoops = new HashSet<>();

    /** A method, or one of its synchronized blocks. */
    record Method(String owner, String name, String type) {
        @Override
        public String toString() {
            return owner + "." + name;
        }
    }

    private CallGraph() {}

    static CallGraph of(Iterable<ByteSource> classes) throws IOException {
        CallGraph graph = new CallGraph();
        for (ByteSource each : classes) {
            graph.add(ClassFile.of().parse(each.read()));
        }
        return graph;
    }

    /** Synchronized methods and blocks, methods that lock, and what runs under the lock of NFSv4 state. */
    Set<Method> underLock() {
        return underLock;
    }

    /** What is given to an event loop or a timer. */
    Set<Method> onLoops() {
        return onLoops;
    }

    /** The methods of classes below these, which need not be among the classes that were read. */
    List<Method> methodsBelow(Predicate<String> classes) {
        Set<String> found = new HashSet<>();
        below.keySet().stream().filter(classes).forEach(each -> collectBelow(each, found));
        return methodsIn(found::contains);
    }

    List<Method> methodsIn(Predicate<String> classes) {
        return bodies.stream()
                .filter(method -> classes.test(method.owner) && !method.name.startsWith("lambda$"))
                .toList();
    }

    private void collectBelow(String type, Set<String> found) {
        for (String each : below.getOrDefault(type, List.of())) {
            if (found.add(each)) {
                collectBelow(each, found);
            }
        }
    }

    /**
     * For each method from which a call that is searched for is reached, the next step on a shortest way to it.
     *
     * @param isCut what is not followed
     */
    Map<Method, Method> steps(Predicate<Method> searched, Predicate<Method> isCut) {
        Map<Method, List<Method>> callers = new HashMap<>();
        Map<Method, List<Method>> targets = new HashMap<>();
        Map<Method, Method> steps = new HashMap<>();
        calls.forEach((caller, all) -> {
            for (Method called : all) {
                if (searched.test(called)) {
                    steps.putIfAbsent(caller, called);
                } else {
                    targets.computeIfAbsent(called, this::targets).stream()
                            .filter(isCut.negate())
                            .forEach(target -> callers.computeIfAbsent(target, _ -> new ArrayList<>())
                                    .add(caller));
                }
            }
        });
        Deque<Method> found = new ArrayDeque<>(steps.keySet());
        while (!found.isEmpty()) {
            Method next = found.poll();
            for (Method caller : callers.getOrDefault(next, List.of())) {
                if (steps.putIfAbsent(caller, next) == null) {
                    found.add(caller);
                }
            }
        }
        return steps;
    }

    private List<Method> targets(Method called) {
        List<Method> targets = new ArrayList<>();
        inherited(called.owner, called, targets);
        // What somebody gives as a task or closes by this interface may be anything.
        if (!called.name.equals("<init>") && !called.owner.startsWith("java.")) {
            Set<String> found = new HashSet<>();
            collectBelow(called.owner, found);
            for (String each : found) {
                Method other = new Method(each, called.name, called.type);
                if (bodies.contains(other)) {
                    targets.add(other);
                }
            }
        }
        return targets;
    }

    private void inherited(String owner, Method called, List<Method> targets) {
        Method own = new Method(owner, called.name, called.type);
        if (bodies.contains(own)) {
            targets.add(own);
        } else {
            above.getOrDefault(owner, List.of()).forEach(each -> inherited(each, called, targets));
        }
    }

    private static String name(String internal) {
        return internal.replace('/', '.');
    }

    private void add(ClassModel type) {
        String own = name(type.thisClass().asInternalName());
        List<String> supertypes = new ArrayList<>();
        type.superclass().ifPresent(each -> supertypes.add(name(each.asInternalName())));
        type.interfaces().forEach(each -> supertypes.add(name(each.asInternalName())));
        above.put(own, supertypes);
        supertypes.forEach(
                each -> below.computeIfAbsent(each, _ -> new ArrayList<>()).add(own));
        for (MethodModel each : type.methods()) {
            Method method = new Method(
                    own, each.methodName().stringValue(), each.methodType().stringValue());
            if (each.flags().has(AccessFlag.SYNCHRONIZED)) {
                underLock.add(method);
            }
            each.code().ifPresent(code -> {
                bodies.add(method);
                add(method, code);
            });
        }
    }

    private void add(Method method, CodeModel code) {
        Method block = new Method(method.owner, method.name + BLOCK, method.type);
        List<CodeElement> elements = code.elementList();
        boolean[] inBlock = inBlock(elements);
        List<Method> lambdas = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            switch (elements.get(i)) {
                case InvokeDynamicInstruction made ->
                    made.bootstrapArgs().stream()
                            .filter(DirectMethodHandleDesc.class::isInstance)
                            .map(DirectMethodHandleDesc.class::cast)
                            .forEach(lambda -> lambdas.add(
                                    new Method(className(lambda), lambda.methodName(), lambda.lookupDescriptor())));
                case InvokeInstruction call -> {
                    Method called = new Method(
                            name(call.owner().asInternalName()),
                            call.name().stringValue(),
                            call.type().stringValue());
                    List<Method> reached = new ArrayList<>(List.of(called));
                    reached.addAll(given(called, lambdas));
                    lambdas.clear();
                    calls.computeIfAbsent(method, _ -> new ArrayList<>()).addAll(reached);
                    if (inBlock[i]) {
                        underLock.add(block);
                        calls.computeIfAbsent(block, _ -> new ArrayList<>()).addAll(reached);
                    }
                    if (called.owner.startsWith("java.util.concurrent.locks.") && called.name.startsWith("lock")) {
                        underLock.add(method);
                    }
                }
                default -> {}
            }
        }
    }

    private static String className(DirectMethodHandleDesc lambda) {
        String type = lambda.owner().descriptorString();
        return name(type.substring(1, type.length() - 1));
    }

    /** What a call does with lambdas that it gets; returns those that it runs at once. */
    private List<Method> given(Method called, List<Method> lambdas) {
        if (LOCKS_OF_STATE.contains(called.name) && called.owner.startsWith("org.warpnfs.nfs.v4.state.State")) {
            underLock.addAll(lambdas);
        }
        if (called.owner.startsWith("io.netty.")
                || called.owner.equals("org.warpnfs.schedule.Repeated")
                || (called.owner.endsWith("QueuePair") && called.name.equals("execute"))
                || (called.owner.startsWith("java.util.concurrent.Scheduled") && called.name.startsWith("schedule"))) {
            onLoops.addAll(lambdas);
        }
        return RUNS_AT_ONCE.matcher(called.owner).matches() ? List.copyOf(lambdas) : List.of();
    }

    private static boolean[] inBlock(List<CodeElement> elements) {
        Map<Label, Integer> places = new HashMap<>();
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof LabelTarget target) {
                places.put(target.label(), i);
            }
        }
        boolean[] inBlock = new boolean[elements.size()];
        for (CodeElement each : elements) {
            if (each instanceof ExceptionCatch handler
                    && handler.catchType().isEmpty()
                    && leavesBlock(elements.subList(places.get(handler.handler()), elements.size()))) {
                for (int i = places.get(handler.tryStart()); i < places.get(handler.tryEnd()); i++) {
                    inBlock[i] = true;
                }
            }
        }
        return inBlock;
    }

    private static boolean leavesBlock(List<CodeElement> handler) {
        return handler.stream()
                .filter(Instruction.class::isInstance)
                .map(Instruction.class::cast)
                .limit(UNTIL_EXIT)
                .anyMatch(each -> each.opcode() == Opcode.MONITOREXIT);
    }
}
