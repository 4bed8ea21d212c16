// Answer documents as graphql-js 15, 16, 17 and Apollo Server do: cases as JSON on stdin, answers as JSON on stdout.
import { readFileSync } from 'node:fs';
const cases = JSON.parse(readFileSync(0, 'utf8'));
const libraries = { 'graphql-js 15': 'gql15', 'graphql-js 16': 'gql16', 'graphql-js 17': 'gql17' };
async function answer(c) {
  if (c.server.startsWith('apollo')) {
    const { ApolloServer, HeaderMap } = await import('@apollo/server');
    const server = new ApolloServer({
      typeDefs: c.sdl, introspection: c.options?.introspection ?? true, includeStacktraceInErrorResponses: false,
      hideSchemaDetailsFromClientErrors: c.options?.hideSuggestions ?? false, nodeEnv: 'production',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await server.start();
    const headers = new HeaderMap([['content-type', 'application/json']]);
    const body = { query: c.document, ...(c.variables ? { variables: c.variables } : {}), ...(c.operation_name ? { operationName: c.operation_name } : {}) };
    const r = await server.executeHTTPGraphQLRequest({ httpGraphQLRequest: { method: 'POST', headers, search: '', body }, context: async () => ({}) });
    await server.stop();
    return { status: r.status ?? 200, body: JSON.parse(r.body.string) };
  }
  const g = await import(libraries[c.server]);
  const schema = g.buildSchema(c.sdl);
  const failed = (errors) => ({ status: 400, body: { errors: errors.map((e) => (e.toJSON ? e.toJSON() : g.formatError(e))) } });
  let document;
  try { document = g.parse(c.document); } catch (e) { return failed([e]); }
  const errors = g.validate(schema, document);
  if (errors.length) return failed(errors);
  const r = await g.execute({ schema, document, variableValues: c.variables ?? {}, operationName: c.operation_name ?? undefined });
  if (r.data === undefined) return failed(r.errors);
  return { status: 200, body: { data: r.data } };
}
const out = [];
for (const c of cases) out.push(await answer(c));
console.log(JSON.stringify(out));
