// What TypeScript's own compiler resolves each call of a project to, as JSON: node call_truth.mjs TYPESCRIPT ROOT
import { createRequire } from "node:module";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

const [library, root] = process.argv.slice(2);
const ts = createRequire(join(library, "package.json"))("typescript");

const files = readdirSync(root, { recursive: true })
  .map((path) => join(root, path))
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts") && !path.includes("node_modules"));
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  jsx: ts.JsxEmit.Preserve,
});
const checker = program.getTypeChecker();
const found = [];

function place(node) {
  const source = node.getSourceFile();
  return [relative(root, source.fileName), source.getLineAndCharacterOfPosition(node.getStart()).line + 1];
}

// The name of a function with a body: its own, or that of the variable or property that holds it.
function nameOf(declaration) {
  const body = declaration.body
    ? declaration
    : declaration.name &&
      checker.getSymbolAtLocation(declaration.name)?.declarations?.find((one) => ts.isFunctionLike(one) && one.body);
  if (!body) return undefined;
  if (ts.isConstructorDeclaration(body))
    return body.getChildren().find((one) => one.kind === ts.SyntaxKind.ConstructorKeyword);
  return body.name ?? body.parent?.name;
}

function visit(node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    let called = node.expression;
    while (ts.isParenthesizedExpression(called) || ts.isNonNullExpression(called)) called = called.expression;
    const said = ts.isPropertyAccessExpression(called) ? called.name : ts.isIdentifier(called) ? called : undefined;
    const declaration = said && checker.getResolvedSignature(node)?.declaration;
    const name = declaration && files.includes(declaration.getSourceFile().fileName) && nameOf(declaration);
    if (name) found.push([...place(said), said.text, ...place(name)]);
  }
  ts.forEachChild(node, visit);
}

for (const file of files) visit(program.getSourceFile(file));
process.stdout.write(JSON.stringify(found));
