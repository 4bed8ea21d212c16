import java.nio.file.*;
import java.util.*;
import java.util.regex.Pattern;
import jdk.internal.org.objectweb.asm.*;

/**
 * The calls in compiled classes to methods with a body among them, as JSON: java ClassTruth.java FOLDER, with ASM exported.
 *
 * Each is the file and line of the call, and the file, name and first line of the method. Files are package and name.
 */
public class ClassTruth {
    record Call(String file, int line, String owner, String method) { }

    record Body(String file, String name, int line) { }

    public static void main(String[] arguments) throws Exception {
        List<Path> files;
        try (var walk = Files.walk(Path.of(arguments[0]))) {
            files = walk.filter(path -> path.toString().endsWith(".class")).sorted().toList();
        }
        var bodies = new HashMap<String, Body>();
        var bases = new HashMap<String, List<String>>();
        var calls = new ArrayList<Call>();
        for (var path : files) {
            new ClassReader(Files.readAllBytes(path)).accept(new Reader(bodies, bases, calls), 0);
        }
        var found = new LinkedHashSet<String>();
        for (var call : calls) {
            Body body = find(call.owner, call.method, bodies, bases);
            if (body != null) {
                found.add(String.format("[\"%s\",%d,\"%s\",\"%s\",%d]",
                    call.file, call.line, body.name, body.file, body.line));
            }
        }
        System.out.println("[" + String.join(",", found) + "]");
    }

    private static Body find(String owner, String method, Map<String, Body> bodies, Map<String, List<String>> bases) {
        Body body = bodies.get(owner + "." + method);
        var left = bases.getOrDefault(owner, List.of()).iterator();
        while (body == null && left.hasNext()) {
            body = find(left.next(), method, bodies, bases);
        }
        return body;
    }

    private static class Reader extends ClassVisitor {
        private final Map<String, Body> bodies;
        private final Map<String, List<String>> bases;
        private final List<Call> calls;
        private String owner;
        private String file = "";
        /** The last line that is the file's own: those behind it are of functions that were inlined. */
        private int own;

        Reader(Map<String, Body> bodies, Map<String, List<String>> bases, List<Call> calls) {
            super(Opcodes.ASM8);
            this.bodies = bodies;
            this.bases = bases;
            this.calls = calls;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String base, String[] interfaces) {
            owner = name;
            var above = new ArrayList<>(List.of(interfaces));
            above.add(0, base);
            bases.put(name, above);
        }

        @Override
        public void visitSource(String source, String debug) {
            file = owner.substring(0, owner.lastIndexOf('/') + 1) + source;
            // "*L" begins ranges of lines, as 12#1,3:12: three lines from 12 of the first file, from 12 in the class.
            var ranges = Pattern.compile("(?m)^(\\d+)#1(?:,(\\d+))?:(\\d+)").matcher(debug == null ? "" : debug.split("\\*E")[0]);
            while (ranges.find()) {
                int start = Integer.parseInt(ranges.group(1));
                int count = ranges.group(2) == null ? 1 : Integer.parseInt(ranges.group(2));
                if (start == Integer.parseInt(ranges.group(3))) {
                    own = Math.max(own, start + count - 1);
                }
            }
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
            // What the compiler adds: bridges, accessors, and the methods that fill in defaults. A lambda is no such thing.
            boolean isAdded = (access & Opcodes.ACC_SYNTHETIC) != 0 && !name.contains("lambda");
            return new MethodVisitor(Opcodes.ASM8) {
                private int line;

                @Override
                public void visitLineNumber(int number, Label start) {
                    if (line == 0 && !isAdded) {
                        bodies.put(owner + "." + name + type, new Body(file, plain(name), number));
                    }
                    line = own == 0 || number <= own ? number : 0;
                }

                @Override
                public void visitMethodInsn(int code, String other, String called, String form, boolean isInterface) {
                    if (isAdded || line == 0) {
                        return;
                    }
                    boolean isFilled = called.endsWith("$default") || called.startsWith("access$");
                    calls.add(new Call(file, line, other, isFilled ? unfilled(other, called, form) : called + form));
                }
            };
        }

        /** The method behind one that fills in defaults, or that lets a lambda in: without receiver, mask and marker. */
        private static String unfilled(String owner, String called, String form) {
            var types = new ArrayList<>(List.of(Type.getArgumentTypes(form)));
            String name = called.startsWith("access$") ? called.substring("access$".length()) : called;
            if (name.endsWith("$default")) {
                name = name.substring(0, name.length() - "$default".length());
                types.subList(Math.max(types.size() - 2, 0), types.size()).clear();
            }
            if (!types.isEmpty() && types.get(0).getDescriptor().equals("L" + owner + ";")) {
                types.remove(0);
            }
            return name + Type.getMethodDescriptor(Type.getReturnType(form), types.toArray(Type[]::new));
        }

        /** A name as it is written: what is behind `-` keeps functions on inline classes apart, behind `$` modules. */
        private static String plain(String name) {
            int end = name.indexOf('-') < 0 ? name.length() : name.indexOf('-');
            int module = name.indexOf('$') <= 0 ? end : name.indexOf('$');
            return name.substring(0, Math.min(end, module));
        }
    }
}
