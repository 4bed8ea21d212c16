import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.Element;
import javax.tools.*;

/** What javac resolves each call of a project to, as JSON: java CallTruth.java ROOT, with javac's trees exported. */
public class CallTruth {
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> files;
        try (var walk = Files.walk(root)) {
            files = walk.filter(path -> path.toString().endsWith(".java")).sorted().toList();
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        var task = (JavacTask) compiler.getTask(
            null, manager, problem -> { }, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
        var units = task.parse();
        task.analyze();
        var trees = Trees.instance(task);
        var found = new StringJoiner(",", "[", "]");
        for (var unit : units) {
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
                    var select = call.getMethodSelect();
                    String name = select instanceof MemberSelectTree member
                        ? member.getIdentifier().toString() : select.toString();
                    note(new TreePath(getCurrentPath(), select), select, name);
                    return super.visitMethodInvocation(call, none);
                }

                @Override
                public Void visitNewClass(NewClassTree made, Void none) {
                    if (made.getClassBody() == null) {
                        note(getCurrentPath(), made.getIdentifier(), made.getIdentifier().toString());
                    }
                    return super.visitNewClass(made, none);
                }

                private void note(TreePath path, Tree said, String name) {
                    Element called = trees.getElement(path);
                    TreePath there = called == null ? null : trees.getPath(called);
                    if (there == null || !(there.getLeaf() instanceof MethodTree method)
                            || method.getBody() == null) {
                        return;
                    }
                    long end = trees.getSourcePositions().getEndPosition(unit, said) - 1;
                    if (end < 0 || !textOf(unit).startsWith(name, (int) end + 1 - name.length())) {
                        return; // what javac adds, as the call of a base's constructor
                    }
                    var other = there.getCompilationUnit();
                    found.add(String.format("[\"%s\",%d,\"%s\",\"%s\",%d]",
                        pathOf(unit), unit.getLineMap().getLineNumber(end), name,
                        pathOf(other), other.getLineMap().getLineNumber(((JCTree) method).pos)));
                }

                private String textOf(CompilationUnitTree one) {
                    try {
                        return one.getSourceFile().getCharContent(true).toString();
                    } catch (java.io.IOException failed) {
                        throw new java.io.UncheckedIOException(failed);
                    }
                }

                private String pathOf(CompilationUnitTree one) {
                    return root.relativize(Path.of(one.getSourceFile().toUri())).toString();
                }
            }.scan(unit, null);
        }
        System.out.println(found);
    }
}
