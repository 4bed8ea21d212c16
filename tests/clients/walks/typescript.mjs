// The official TypeScript SDK of 2.x, @modelcontextprotocol/client, and its extension for tasks.

import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { errand, filledIn, report, walk } from "./steps.mjs";

const { server, legacy, steps } = await errand();
const me = { name: "typescript-walk", version: "1" };
const capabilities = { elicitation: { form: {} } };
const asked = [];
const mode = legacy ? "legacy" : "auto";
const client = new Client(me, { capabilities, versionNegotiation: { mode } });
client.setRequestHandler("elicitation/create", async ({ params }) => {
  asked.push(params.message);
  return filledIn(params);
});
const headers = { Authorization: `Bearer ${server.key}` };
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } })
  : new StdioClientTransport({ ...server, stderr: "ignore" });
await client.connect(transport);
const version = client.getNegotiatedProtocolVersion();

// The extension leaves to its host how messages travel that the SDK does not know.
async function dispatch(request) {
  const id = crypto.randomUUID();
  const { method, params } = request;
  const named = { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": params.name ?? params.taskId };
  const kinds = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id, ...request });
  const answer = await fetch(server.url, { method: "POST", headers: { ...headers, ...kinds, ...named }, body });
  return answer.json();
}

async function task({ name, arguments: given }) {
  const framing = { protocolVersion: version, clientInfo: me, clientCapabilities: capabilities };
  const options = { endpointId: server.url, rawDispatch: dispatch, v2RequestFraming: framing };
  const session = createTaskSessionFromClient(client, options);
  const execution = await session.callTool(name, given);
  const { outcome } = await execution.settle();
  return resultFromTaskOutcome(outcome);
}

const call = (client, params, options) => client.callTool(params, options);
const told = await walk(client, { steps, asked, call, task });
await client.close();
report({ version, told });
