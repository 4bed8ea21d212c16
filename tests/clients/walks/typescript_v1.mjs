// The official TypeScript SDK of 1.x, @modelcontextprotocol/sdk, which most clients are built on.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { errand, filledIn, report, walk } from "./steps.mjs";

const { server, steps } = await errand();
const asked = [];
const client = new Client({ name: "typescript-walk", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  asked.push(params.message);
  return filledIn(params);
});
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { Authorization: `Bearer ${server.key}` } },
    })
  : new StdioClientTransport({ ...server, stderr: "ignore" });
await client.connect(transport);

const call = (client, params, options) => client.callTool(params, undefined, options);
const told = await walk(client, { steps, asked, call });
const version = transport.protocolVersion ?? "";
await client.close();
report({ version, told });
