package org.warpnfs.fs.contract;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.warpnfs.fs.spi.Capability;

/** Runs a test if the backend has what the test {@linkplain Needs needs}, and else checks the refusal. */
final class OfferedOrRefused implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> context, ExtensionContext extension)
            throws Throwable {
        if (!(context.getTarget().orElse(null) instanceof ContractFixture test)) {
            invocation.proceed();
            return;
        }
        List<Capability> missing = needs(context.getExecutable());
        missing.removeIf(test::can);
        if (missing.isEmpty()) {
            invocation.proceed();
            return;
        }
        for (Capability capability : missing) {
            new Refusals(test).check(capability);
        }
        invocation.skip();
    }

    private static List<Capability> needs(Method method) {
        List<Capability> needs = new ArrayList<>();
        Needs ofMethod = method.getAnnotation(Needs.class);
        Needs ofClass = method.getDeclaringClass().getAnnotation(Needs.class);
        if (ofMethod != null) {
            needs.addAll(List.of(ofMethod.value()));
        }
        if (ofClass != null) {
            needs.addAll(List.of(ofClass.value()));
        }
        return needs;
    }
}
