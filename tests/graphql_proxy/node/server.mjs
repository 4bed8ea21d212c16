// A GraphQL server that nobody of Toolroom wrote, with a mocked schema: node server.mjs <yoga|apollo> <schema> [closed]
// It prints its port. `closed`: no introspection, and on Yoga no document that is not registered.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { addMocksToSchema } from '@graphql-tools/mock';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { useDisableIntrospection } from '@graphql-yoga/plugin-disable-introspection';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { createYoga } from 'graphql-yoga';

const [kind, file, mode] = process.argv.slice(2);
const typeDefs = readFileSync(file, 'utf8');
const schema = addMocksToSchema({ schema: makeExecutableSchema({ typeDefs }) });

if (kind === 'yoga') {
  const plugins = { closed: [useDisableIntrospection()], registered: [usePersistedOperations({ getPersistedOperation: () => null })] };
  const server = createServer(createYoga({ schema, logging: false, plugins: plugins[mode] ?? [] }));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  const apollo = new ApolloServer({ schema, introspection: mode !== 'closed', includeStacktraceInErrorResponses: true });
  const { url } = await startStandaloneServer(apollo, { listen: { port: 0, host: '127.0.0.1' } });
  console.log(new URL(url).port);
}
